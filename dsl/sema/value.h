// What an expression is to the checker while it checks: a node of the Model with its type, a number known at compile time,
// a matrix whose size is still open, or something that isn't a number at all (a set, a mesh, a corner). Private to the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/span.h"
#include "dsl/model/model.h"

namespace asb::sema {

using model::DomainId;
using model::ExprId;
using model::ExprKind;
using model::GeometryId;
using model::Type;
using model::TypeKind;
using model::Unit;

enum class ValueKind : uint8_t {
  Error,     ///< reported already; everything made of it is silent
  Number,    ///< real, sym, int, bool: `type`, and `expr` or `constant` or both
  Identity,  ///< `I` of a size that the other operand gives; `expr`: a scalar that it is multiplied by, or none
  Zero,      ///< `zero` of a shape that the other operand gives
  Text,
  Word,      ///< a bare name that only some arguments take: `hex8`
  Set,       ///< `domain`; `by_measure` for a mesh, surface or curve itself
  Geometry,  ///< `geometry`
  Frames,    ///< `ref`
  Corner,    ///< corner `index` of the entity of context number `ref`
  Entity,    ///< `as c`: the entity of context number `ref`
};

struct Value {
  ValueKind kind = ValueKind::Error;
  Type type = {};
  ExprId expr = {};
  std::optional<double> constant;  ///< of a scalar known at compile time, in SI; true is 1
  bool bare = false;               ///< made of numbers without a unit only: fits any unit in a sum
  DomainId domain = {};
  GeometryId geometry = {};
  bool by_measure = false;
  uint32_t ref = 0;
  int32_t index = 0;
  std::string text = {};
  Span span = {};      ///< where it is written
  Span declared = {};  ///< where the name that it is was declared, if it is one

  bool is_error() const { return kind == ValueKind::Error; }
  bool is_number() const { return kind == ValueKind::Number; }
  bool is_open() const { return kind == ValueKind::Identity || kind == ValueKind::Zero; }
  bool is_scalar() const { return is_number() && type.dims.empty() && type.kind != TypeKind::Bool; }
  bool is_bool() const { return is_number() && type.kind == TypeKind::Bool; }
  bool is_int() const { return is_number() && type.kind == TypeKind::Int; }
  bool is_matrix() const { return is_number() && (type.kind == TypeKind::Sym || type.dims.size() == 2); }
  bool is_vector() const { return is_number() && type.kind == TypeKind::Real && type.dims.size() == 1; }
};

/// A type as declared: without a unit it takes that of its value.
struct DeclaredType {
  Type type = {};
  bool has_unit = false;
  bool ok = false;
  Span span = {};
};

/// What has values on a set (or one value): unknown, param, data, state, latent, derived nodal quantity.
struct Quantity {
  std::string name = {};
  ExprKind kind = ExprKind::Param;
  uint32_t ref = 0;
  Type type = {};
  DomainId domain = {};
  bool per_frame = false;  ///< `q[i]` is another frame's
  int32_t rows = 0;        ///< `per 9`: has to be indexed
  Span declared = {};
};

/// Where an expression is evaluated.
enum class Place : uint8_t {
  Nowhere,   ///< one value: an output, an energy
  Function,  ///< the body of a function: only what its parameters say
  Material,  ///< a point of matter, not known yet which: the body of a field
  Point,     ///< a quadrature point of `domain`
  Entity,    ///< an entity of `domain`
};

/// What a field reads; checked where the field is used.
struct Requirement {
  DomainId domain = {};       ///< of the quantity; none: X
  bool gradient = false;
  std::string name = {};
  Span span = {};
};

struct Context {
  Place place = Place::Nowhere;
  DomainId domain = {};
  std::vector<DomainId> corners = {};  ///< the set of each corner of the entity
  uint32_t number = 0;            ///< tells contexts apart
  bool sums_unchecked = false;    ///< in losses
  bool in_work = false;
  std::vector<Requirement>* requirements = nullptr;  ///< Material
};

/// What the checker knows of a geometry and the Model doesn't say.
struct GeometryInfo {
  int dimension = 3;        ///< of its cells (mesh), facets (surface), edges (curve); 0: points
  int cell_corners = 0;     ///< 0: not known before the file is read
  int facet_corners = 0;
  int node_order = 1;       ///< of `m.nodes`
  bool is_free = false;     ///< its coordinates come without a unit
  GeometryId boundary_of, embedded_in, embeds;
  std::vector<std::string> part_names = {};  ///< stencil
  std::vector<DomainId> parts = {};          ///< stencil, pairs, neighbours: the sets of the corners
};

}  // namespace asb::sema
