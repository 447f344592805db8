// See units.h.
#include "dsl/sema/units.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace asb::sema {
namespace {

using model::Unit;

constexpr Unit whole(int m, int kg, int s, int A, int K, int mol, int cd) {
  const std::array<int, 7> e = {m, kg, s, A, K, mol, cd};
  Unit unit;
  for (size_t i = 0; i < e.size(); ++i) unit.exponents[i] = static_cast<int16_t>(e[i] * kWhole);
  return unit;
}

const UnitEntry kTable[] = {
#define ASB_UNIT(name, m, kg, s, A, K, mol, cd, times, over) {name, whole(m, kg, s, A, K, mol, cd), times, over},
#include "dsl/sema/units.def"
#undef ASB_UNIT
};

constexpr std::array<std::string_view, 7> kBaseNames = {"m", "kg", "s", "A", "K", "mol", "cd"};
/// Derived units that messages and outputs prefer to base units, in this order.
constexpr std::string_view kPreferred[] = {"Pa", "N", "J", "W", "V", "C", "Ohm"};

std::optional<Unit> combine(const Unit& a, const Unit& b, int sign) {
  if (a.free || b.free) return free_unit();
  Unit result;
  for (size_t i = 0; i < 7; ++i) {
    const int e = a.exponents[i] + sign * b.exponents[i];
    if (std::abs(e) > 30000) return std::nullopt;
    result.exponents[i] = static_cast<int16_t>(e);
  }
  return result;
}

std::string factor(std::string_view name, int twelfths) {
  if (twelfths == kWhole) return std::string(name);
  if (twelfths % kWhole == 0) return fmt::format("{}^{}", name, twelfths / kWhole);
  return fmt::format("{}^({}/12)", name, twelfths);
}

std::string spell_in_base_units(const Unit& unit) {
  std::string above, below;
  for (const size_t i : {1, 0, 2, 3, 4, 5, 6}) {
    const int e = unit.exponents[i];
    if (e > 0) above += (above.empty() ? "" : "*") + factor(kBaseNames[i], e);
    if (e < 0) below += "/" + factor(kBaseNames[i], -e);
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace

const UnitEntry* find_unit(std::string_view name) {
  for (const UnitEntry& entry : kTable)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const UnitEntry& entry : kTable) names.push_back(entry.name);
  return names;
}

Unit no_unit() { return {}; }
Unit free_unit() {
  Unit unit;
  unit.free = true;
  return unit;
}
Unit metres(int power) { return whole(power, 0, 0, 0, 0, 0, 0); }
bool is_dimensionless(const Unit& unit) { return unit == Unit{}; }

std::optional<Unit> product(const Unit& a, const Unit& b) { return combine(a, b, 1); }
std::optional<Unit> quotient(const Unit& a, const Unit& b) { return combine(a, b, -1); }

std::optional<Unit> power(const Unit& unit, double exponent) {
  if (unit.free || is_dimensionless(unit)) return unit;
  Unit result;
  for (size_t i = 0; i < 7; ++i) {
    const double e = unit.exponents[i] * exponent;
    // 1/3 is not exact in binary: the nearest twelfth, if it is within rounding of one.
    if (!(std::abs(e) < 30000) || std::abs(e - std::round(e)) > 1e-9 * (1 + std::abs(e))) return std::nullopt;
    result.exponents[i] = static_cast<int16_t>(std::round(e));
  }
  return result;
}

std::string spell(const Unit& unit) {
  if (unit.free) return "any unit";
  if (is_dimensionless(unit)) return "1";
  for (const std::string_view name : kPreferred)
    if (find_unit(name)->dimension == unit) return std::string(name);
  for (const int m : {-1, 1}) {  // N/m, N*m is J; Pa*s
    for (const std::string_view name : {"N", "W"})
      if (const auto u = product(find_unit(name)->dimension, metres(m)); u && *u == unit)
        return fmt::format("{}{}", name, m < 0 ? "/m" : "*m");
  }
  if (*product(find_unit("Pa")->dimension, find_unit("s")->dimension) == unit) return "Pa*s";
  return spell_in_base_units(unit);
}

std::string quoted(const Unit& unit) {
  return is_dimensionless(unit) ? "no unit" : fmt::format("`{}`", spell(unit));
}

std::string spell_shape(const model::Type& type) {
  switch (type.kind) {
    case model::TypeKind::Int: return "int";
    case model::TypeKind::Bool: return "bool";
    case model::TypeKind::Sym: return fmt::format("sym{}", type.dims.empty() ? 0 : type.dims[0]);
    case model::TypeKind::Real: break;
  }
  const auto& d = type.dims;
  if (d.empty()) return "real";
  if (d.size() == 1 && d[0] >= 2 && d[0] <= 4) return fmt::format("vec{}", d[0]);
  if (d.size() == 2 && d[0] == d[1] && d[0] >= 2 && d[0] <= 4) return fmt::format("mat{}", d[0]);
  return fmt::format("real[{}]", fmt::join(d, ", "));
}

std::string spell(const model::Type& type) {
  if (type.kind == model::TypeKind::Int || type.kind == model::TypeKind::Bool) return spell_shape(type);
  const bool plain = type.unit.free || is_dimensionless(type.unit);
  if (plain) return spell_shape(type);
  if (type.kind == model::TypeKind::Real && type.dims.empty()) return spell(type.unit);
  return fmt::format("{} in {}", spell_shape(type), spell(type.unit));
}

}  // namespace asb::sema
