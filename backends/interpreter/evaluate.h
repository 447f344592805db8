// Evaluates a function of the SSA at one entity, instruction by instruction, as ops.def says: obvious and slow, what
// every other backend is compared with. Works on both stages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/interpreter/number.h"
#include "compiler/ir/function.h"

namespace asb::interpreter {

struct Tensor {
  ir::Type type;
  std::vector<Number> entries;  ///< row major

  static Tensor of(ir::Type type, std::span<const double> values);
  static Tensor scalar(double value) { return {ir::Type::scalar(), {{value, 0}}}; }
  std::vector<double> values() const;
};

struct EvaluateOptions {
  bool inputs_are_rounded = false;  ///< the other side rounds its inputs (f32): their magnitude is |x|
};

struct Evaluation {
  std::vector<Tensor> values;   ///< of each instruction
  std::vector<Tensor> outputs;  ///< of each output
};

/// Inputs in the order of function.inputs, with their types.
Evaluation evaluate(const ir::Function& function, std::span<const Tensor> inputs, EvaluateOptions options = {});

/// Whether another backend's value agrees: |a - b| <= tolerance · magnitude; NaN agrees with NaN, infinities by sign.
bool agrees(Number expected, double other, double tolerance = kAgreement);

/// The first instruction with a value that isn't finite although an output rests on it (a side that a `select`
/// didn't take is no offender).
struct NonFinite {
  ir::ValueId instruction;
  int32_t entry = 0;      ///< row major, of its value
  Span span;              ///< source of the instruction
  std::string message;    ///< "`log` of -0.25 is nan"
};
std::optional<NonFinite> find_first_non_finite(const ir::Function& function, const Evaluation& evaluation);

}  // namespace asb::interpreter
