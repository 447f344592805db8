// Shapes and numbers for the operands of each op.
#include "tests/support/op_cases.h"

#include <fmt/format.h>

#include <cstring>

#include "compiler/ir/print.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::ValueId;

Type tensor(std::initializer_list<int32_t> dims) { return Type::real(std::vector<int32_t>(dims)); }

Domain domain_of(Op op) {
  const std::string smooth = ir::info(op).smooth;
  if (smooth == "Positive") return Domain::Positive;
  if (smooth == "NonZero") return Domain::NonZero;
  if (smooth == "Kink" || smooth == "Flat") return Domain::Apart;
  if (smooth == "Rank") return Domain::Regular;
  return Domain::Any;
}

OpForm form(std::vector<Type> operands, Domain domain, Type given = {}, int32_t index = 0, int32_t extra = 0) {
  const size_t n = operands.size();
  return {std::move(operands), std::vector<Domain>(n, domain), given, index, extra, 0};
}

std::vector<OpForm> same_shape_forms(Op op) {
  const int arity = ir::info(op).arity;
  const Domain domain = domain_of(op);
  const Type scalar = Type::scalar(), matrix = Type::matrix(2, 3);
  std::vector<OpForm> forms = {form(std::vector<Type>(arity, scalar), domain)};
  if (std::strcmp(ir::info(op).stage, "Scalar") != 0) {
    forms.push_back(form(std::vector<Type>(arity, matrix), domain));
    forms.push_back(form(std::vector<Type>(arity, Type::vector(100)), domain));  // beyond kExpandLimit
    if (arity == 2) {
      forms.push_back(form({scalar, matrix}, domain));
      forms.push_back(form({matrix, scalar}, domain));
    }
  }
  if (op == Op::ScaleByPowerOf2) forms[0].domains[1] = Domain::Whole;
  return forms;
}

std::vector<OpForm> own_forms(Op op) {
  const Type scalar = Type::scalar(), vec3 = Type::vector(3), mat3 = Type::matrix(3, 3), mat2 = Type::matrix(2, 2);
  const Domain any = Domain::Any;
  switch (op) {
    case Op::Stack:
      return {form({scalar, scalar, scalar}, any), form({vec3, vec3}, any)};
    case Op::Extract:
      return {form({vec3}, any, {}, 1), form({tensor({3, 2, 2})}, any, {}, 2)};
    case Op::Insert:
      return {form({scalar}, any, {}, 2, 3), form({mat2}, any, {}, 0, 3)};
    case Op::Slice:
      return {form({Type::vector(5)}, any, vec3, 1), form({Type::matrix(4, 3)}, any, Type::matrix(2, 3), 2)};
    case Op::Pad:
      return {form({vec3}, any, Type::vector(5), 1), form({mat2}, any, Type::matrix(4, 2), 2)};
    case Op::Concat:
      return {form({vec3, Type::vector(2)}, any), form({mat2, Type::matrix(1, 2), mat2}, any)};
    case Op::Reshape:
      return {form({Type::matrix(2, 3)}, any, Type::matrix(3, 2)), form({mat2}, any, Type::vector(4))};
    case Op::Transpose:
      return {form({Type::matrix(2, 3)}, any), form({mat3}, any)};
    case Op::Rotate:
      return {form({tensor({2, 3, 4})}, any, {}, 1), form({tensor({2, 3, 2, 2})}, any, {}, 2)};
    case Op::Outer:
      return {form({vec3, vec3}, any), form({Type::matrix(2, 3), vec3}, any), form({scalar, vec3}, any)};
    case Op::MatMul:
      return {form({vec3, vec3}, any),        form({mat3, vec3}, any),
              form({vec3, mat3}, any),        form({Type::matrix(2, 3), Type::matrix(3, 4)}, any),
              form({tensor({2, 2, 3}), vec3}, any), form({vec3, tensor({3, 2, 2})}, any),
              form({tensor({2, 2, 3}), tensor({3, 2, 2})}, any)};
    case Op::Det:
    case Op::Cofactor:
      return {form({Type::matrix(1, 1)}, any), form({mat2}, any), form({mat3}, any)};
    case Op::TensorCross:
      return {form({mat3, mat3}, any)};
    case Op::Rotation:
      return {form({mat3}, Domain::Regular), form({mat2}, Domain::Regular)};
    case Op::Iterate:
      return {form({scalar, scalar}, Domain::Positive, {}, 0, 20)};
    default:
      return {};
  }
}

/// Newton's iteration for the square root of the captured value.
Function square_root_body() {
  Function body;
  body.name = "newton_sqrt";
  body.expanded = true;
  Builder b(body, ir::Rules::None);
  const ValueId x = b.add_input("x", Type::scalar(), 0), a = b.add_input("a", Type::scalar(), 0);
  const ValueId next = b.scale(0.5, b.add(x, b.div(a, x)));
  b.add_output("next", next);
  b.add_output("stop", b.less_equal(b.abs(b.sub(next, x)), b.scale(1e-15, next)));
  return body;
}

bool is_apart(double x, const std::vector<double>& others) {
  constexpr double kGap = 0.15;
  if (std::fabs(x - std::nearbyint(x)) < kGap) return false;
  for (size_t i = 0; i < others.size() && others.size() < 8; ++i)
    if (std::fabs(x - others[i]) < kGap) return false;
  return true;
}

}  // namespace

std::vector<OpForm> op_forms(Op op) {
  const std::string shape = ir::info(op).shape;
  const Type scalar = Type::scalar(), boolean = Type::boolean(), mat3 = Type::matrix(3, 3);
  const int arity = ir::info(op).arity;
  if (shape == "Same") return same_shape_forms(op);
  if (shape == "Compare") return {form({scalar, scalar}, Domain::Apart)};
  if (shape == "Logic") return {form(std::vector<Type>(arity, boolean), Domain::Logical)};
  if (shape == "Select") {
    const std::vector<Domain> domains = {Domain::Logical, Domain::Any, Domain::Any};
    return {{{boolean, scalar, scalar}, domains}, {{boolean, mat3, mat3}, domains}};
  }
  if (shape == "Scalar") return {form({mat3}, domain_of(op)), form({scalar}, domain_of(op))};
  if (shape == "Pair") return {form({mat3, mat3}, domain_of(op)), form({scalar, scalar}, domain_of(op))};
  if (shape == "Leaf") {
    OpForm leaf = form({}, Domain::Any, mat3);
    if (op == Op::Input) leaf.operands = {mat3}, leaf.domains = {Domain::Any};
    leaf.number = op == Op::Constant ? 0.7 : 0;
    return {leaf};
  }
  return own_forms(op);
}

std::vector<double> random_numbers(Random& random, const Type& type, Domain domain) {
  const int n = type.entries();
  std::vector<double> x;
  switch (domain) {
    case Domain::Any:
      return random.uniforms(n, -1.5, 1.5);
    case Domain::Positive:
      return random.uniforms(n, 0.4, 2);
    case Domain::NonZero:
      for (int i = 0; i < n; ++i) x.push_back(random.uniform(0.5, 2) * (random.coin() ? 1 : -1));
      return x;
    case Domain::Apart:
      while (static_cast<int>(x.size()) < n)
        if (const double y = random.uniform(-2, 2); is_apart(y, x)) x.push_back(y);
      return x;
    case Domain::Whole:
      for (int i = 0; i < n; ++i) x.push_back(random.integer(-5, 5));
      return x;
    case Domain::Regular:
      if (n == 9)
        return random.with_stretches(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2));
      return {random.uniform(1, 2), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(1, 2)};
    case Domain::Logical:
      for (int i = 0; i < n; ++i) x.push_back(random.coin());
      return x;
  }
  return x;
}

std::vector<OpCase> op_cases(Op op, Random& random) {
  std::vector<OpCase> cases;
  for (const OpForm& f : op_forms(op)) {
    OpCase c;
    c.name = ir::info(op).text;
    c.function.name = c.name;
    c.function.expanded = std::strcmp(ir::info(op).stage, "Scalar") == 0;
    Builder b(c.function, ir::Rules::None);
    std::vector<ValueId> operands;
    for (size_t i = 0; i < f.operands.size(); ++i) {
      operands.push_back(b.add_input(fmt::format("x{}", i), f.operands[i], ir::kAxisMesh));
      c.arguments.push_back(random_numbers(random, f.operands[i], f.domains[i]));
      c.name += " " + ir::to_string(f.operands[i]);
    }
    // operands of entrywise kinks must differ entry by entry, too
    if (c.arguments.size() == 2 && f.domains[0] == Domain::Apart)
      for (size_t k = 0; k < std::max(c.arguments[0].size(), c.arguments[1].size()); ++k) {
        const double x = c.arguments[0].size() == 1 ? c.arguments[0][0] : c.arguments[0][k];
        double& y = c.arguments[1][c.arguments[1].size() == 1 ? 0 : k];
        while (std::fabs(x - y) < 0.15) y += 0.31;
      }
    if (op == Op::Iterate) c.function.bodies.push_back(square_root_body());
    const ValueId value = op == Op::Input ? operands[0]
                                          : b.make(op, operands, f.given, f.index, f.extra, f.number);
    b.add_output("value", value);
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace asb::test
