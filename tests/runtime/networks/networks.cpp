// See networks.h.
#include "tests/runtime/networks/networks.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

/// Declares inputs and their numbers side by side.
class Maker {
 public:
  Maker(std::string name, Random& random, int64_t n) : random_(random), b(function_) {
    function_.name = name;
    case_.name = std::move(name);
    case_.n = n;
  }

  Builder& builder() { return b; }
  ValueId per_entity(const std::string& name, Type type, double size = 1) {
    return input(name, type, ir::kAxisMesh, case_.n, size);
  }
  ValueId uniform(const std::string& name, Type type, double size = 1) { return input(name, type, ir::kAxisParams, 1, size); }

  ValueId weight(int out, int in, double size) { return uniform("W" + std::to_string(++layer_), Type::matrix(out, in), size); }
  ValueId linear(ValueId h, int out, double size) {
    const int in = b.type(h).dims[0];
    const ValueId W = weight(out, in, size);
    return b.add(b.matmul(W, h), uniform("b" + std::to_string(layer_), Type::vector(out), 0.5));
  }

  NetworkCase done(ValueId output) {
    b.add_output("value", output);
    case_.function = std::move(function_);
    return std::move(case_);
  }

 private:
  ValueId input(const std::string& name, Type type, ir::Rate rate, int64_t copies, double size) {
    case_.numbers.push_back(random_.uniforms(static_cast<int>(copies * type.entries()), -size, size));
    return b.add_input(name, type, rate);
  }

  Random& random_;
  NetworkCase case_;
  ir::Function function_;
  Builder b;
  int layer_ = 0;
};

}  // namespace

std::vector<NetworkInput> NetworkCase::inputs() const {
  std::vector<NetworkInput> result;
  for (size_t i = 0; i < numbers.size(); ++i) result.push_back({numbers[i], function.inputs[i].per_entity()});
  return result;
}

NetworkCase siren(Random& random, int width, int depth, int64_t n) {
  Maker m("siren", random, n);
  Builder& b = m.builder();
  ValueId h = m.per_entity("x", Type::vector(3));
  for (int i = 0; i < depth; ++i) {
    const int in = b.type(h).dims[0];
    h = b.sin(b.scale(30, m.linear(h, width, i == 0 ? 1.0 / in : std::sqrt(6.0 / in) / 30)));
  }
  return m.done(m.linear(h, 6, 0.1));
}

NetworkCase modulated_siren(Random& random, int width, int depth, int latent, int64_t n) {
  Maker m("modulated_siren", random, n);
  Builder& b = m.builder();
  ValueId h = m.per_entity("x", Type::vector(3));
  const ValueId z = m.uniform("z", Type::vector(latent));
  for (int i = 0; i < depth; ++i) {
    const int in = b.type(h).dims[0];
    const ValueId W = m.weight(width, in, i == 0 ? 1.0 / in : std::sqrt(6.0 / in) / 30);
    const ValueId s = b.add(m.linear(z, in, 0.3), b.broadcast(b.constant(1), Type::vector(in)));
    const ValueId modulated = b.mul(W, b.outer(b.broadcast(b.constant(1), Type::vector(width)), s));
    const ValueId squares = b.matmul(b.mul(modulated, modulated), b.broadcast(b.constant(1), Type::vector(in)));
    const ValueId norms = b.sqrt(b.add(squares, b.constant(1e-8)));
    const ValueId demodulated =
        b.scale(std::sqrt(2.0) / 30, b.div(modulated, b.outer(norms, b.broadcast(b.constant(1), Type::vector(in)))));
    const ValueId bias = m.uniform("bias" + std::to_string(i), Type::vector(width), 0.1);
    h = b.sin(b.scale(30, b.add(b.matmul(demodulated, h), bias)));
  }
  return m.done(m.linear(h, 6, 0.1));
}

NetworkCase fourier_mlp(Random& random, int features, int width, int64_t n) {
  Maker m("fourier_mlp", random, n);
  Builder& b = m.builder();
  const ValueId x = m.per_entity("x", Type::vector(3));
  const ValueId phase = b.scale(2 * std::numbers::pi, b.matmul(m.uniform("B", Type::matrix(features, 3), 2), x));
  ValueId h = b.concat({b.sin(phase), b.cos(phase)});
  for (int i = 0; i < 2; ++i) {  // softplus a = max(a, 0) + log(1 + exp(-|a|))
    const ValueId a = m.linear(h, width, 0.5);
    const ValueId tail = b.log(b.add(b.constant(1), b.exp(b.neg(b.abs(a)))));
    h = b.add(b.max(a, b.zero_like(a)), tail);
  }
  return m.done(m.linear(h, 1, 0.5));
}

std::vector<NetworkCase> odd_networks(Random& random, int64_t n) {
  std::vector<NetworkCase> result;
  const auto add = [&](const std::string& name, const std::function<ValueId(Maker&, Builder&)>& body) {
    Maker m(name, random, n);
    const ValueId output = body(m, m.builder());
    result.push_back(m.done(output));
  };
  add("concat with a latent, leaky relu", [](Maker& m, Builder& b) {
    const ValueId x = m.per_entity("x", Type::vector(3)), z = m.uniform("z", Type::vector(4));
    ValueId h = m.linear(b.concat({z, x, z}), 8, 0.5);
    h = b.max(h, b.scale(0.2, h));
    return m.linear(b.tanh(h), 2, 0.5);
  });
  add("a latent per entity modulates a layer", [](Maker& m, Builder& b) {
    const ValueId x = m.per_entity("x", Type::vector(3)), z = m.per_entity("z", Type::vector(2));
    const ValueId W = b.reshape(m.linear(z, 12, 0.5), Type::matrix(4, 3));
    const ValueId h = b.matmul(W, x);
    return b.div(h, b.sqrt(b.add(b.inner(h, h), b.constant(0.1))));
  });
  add("the derivative of a layer by the point", [](Maker& m, Builder& b) {
    const ValueId x = m.per_entity("x", Type::vector(3));
    const ValueId W = m.weight(5, 3, 1), V = m.weight(2, 5, 1);
    const ValueId a = b.matmul(W, x);
    const ValueId slope = b.mul(b.outer(b.cos(a), b.broadcast(b.constant(1), Type::vector(3))), W);
    return b.matmul(b.transpose(b.matmul(V, slope)), m.uniform("u", Type::matrix(2, 2)));
  });
  add("structure", [](Maker& m, Builder& b) {
    const ValueId x = m.per_entity("x", Type::matrix(3, 4)), y = m.uniform("y", Type::vector(4));
    const ValueId t = b.stack({b.extract(x, 1), y, b.extract(x, 0)});
    const ValueId u = b.add(b.pad(b.slice(t, 1, 2), 1, 4), b.insert(b.extract(x, 2), 3, 4));
    const ValueId r = b.rotate(b.outer(u, y), 1);  // 4 × 4 × 4
    return b.mul(b.sum(b.tanh(b.reshape(r, Type::vector(64)))), b.matmul(b.extract(x, 0), y));
  });
  add("small matrices", [](Maker& m, Builder& b) {
    const ValueId F = m.per_entity("F", Type::matrix(3, 3)), A = m.uniform("A", Type::matrix(3, 3));
    const ValueId G = b.matmul(b.transpose(F), b.matmul(A, F));
    const ValueId P = m.per_entity("P", Type::matrix(2, 2));
    const ValueId c = b.mul(b.det(P), b.sum(b.cofactor(P)));
    const ValueId sum = b.add(b.cofactor(G), b.add(b.tensor_cross(A, F), b.mul(c, b.identity(3))));
    return b.mul(b.det(G), b.matmul(sum, b.reshape(b.sub(F, A), Type::matrix(3, 3))));
  });
  add("choices and roots", [](Maker& m, Builder& b) {
    const ValueId x = m.per_entity("x", Type::scalar(), 2), w = m.uniform("w", Type::scalar());
    const ValueId root = b.select(b.less(b.constant(0), x), b.sqrt(b.add(x, b.constant(1e-3))), b.mul(w, x));
    const ValueId angle = b.atan2(b.add(x, w), x);
    const ValueId power = b.pow(b.add(b.mul(x, x), b.constant(0.1)), b.abs(w));
    const ValueId steps = b.add(b.floor(x), b.mul(b.sign(x), b.min(x, w)));
    const ValueId both = b.select(b.both(b.less_equal(x, w), b.negate(b.equal(x, w))), b.pow(x, b.constant(3)), b.exp(b.tan(w)));
    return b.stack({root, angle, power, steps, both});
  });
  add("nothing per entity in the result", [](Maker& m, Builder& b) {
    (void)m.per_entity("x", Type::vector(3));
    return b.tanh(m.linear(m.uniform("z", Type::vector(3)), 4, 1));
  });
  return result;
}

}  // namespace asb::test
