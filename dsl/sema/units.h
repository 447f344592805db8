// Units: dimensions of quantities, what is written for them, and how they combine. Under the checker; erased after it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/model/model.h"

namespace asb::sema {

/// Exponents count twelfths, so that roots stay exact: 12 is one.
constexpr int kWhole = 12;

/// What one unit of the table is in SI: times / over of the dimension.
struct UnitEntry {
  std::string_view name;
  model::Unit dimension;
  double times = 1, over = 1;
};
const UnitEntry* find_unit(std::string_view name);
std::vector<std::string_view> unit_names();

model::Unit no_unit();    ///< dimensionless
model::Unit free_unit();  ///< anything
model::Unit metres(int power = 1);
bool is_dimensionless(const model::Unit& unit);

/// Free × anything is free. None where an exponent leaves its range.
std::optional<model::Unit> product(const model::Unit& a, const model::Unit& b);
std::optional<model::Unit> quotient(const model::Unit& a, const model::Unit& b);
/// unit^exponent; none if that isn't a whole number of twelfths.
std::optional<model::Unit> power(const model::Unit& unit, double exponent);

/// As a user would write it: `Pa` rather than kg/m/s^2, `m`, `kg/m^3`; `1` if dimensionless, `any unit` if free.
std::string spell(const model::Unit& unit);
/// For messages: "`Pa`", "no unit".
std::string quoted(const model::Unit& unit);

/// `real`, `vec3`, `mat3`, `sym3`, `real[51, 3]`, `int`, `bool`.
std::string spell_shape(const model::Type& type);
/// With its unit: `Pa`, `vec3 in m`.
std::string spell(const model::Type& type);

}  // namespace asb::sema
