// The writer. Shape of what it makes:
//
//   main:   entity = invocation i; block = first + i / ASB_LANES, lane = i % ASB_LANES; nothing where block >= last
//   body:   addresses of the arguments; a per-entity argument of n entries has entry k of the entity at
//           data[block·n·ASB_LANES + lane + k·ASB_LANES]; the instructions; the stores
//   Iterate is a loop of its own inside `body`, with the carried value as a phi: each invocation stops by itself.
#include "backends/spirv/spirv_writer.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "abi/kernel.h"
#include "backends/spirv/emit_bits.h"
#include "backends/spirv/module.h"
#include "base/check.h"

namespace asb::spirv {
namespace {

using ir::Function;
using ir::Inst;
using ir::Kind;
using ir::Op;
using ir::ValueId;
using Section = Module::Section;
using spv::Decoration;
using spv::StorageClass;

constexpr uint32_t kAddressBytes = 8, kRealBytes = 8;

/// What the scalar stage may hold. The first thing that it may not is an Error.
Result<void> check_supported(const Function& function) {
  for (const Inst& inst : function.insts) {
    if (!inst.type.is_scalar())
      return fail("spirv-not-scalar", fmt::format("`{}` has a value of {} entries; kernels reach SPIR-V as scalars",
                                                  function.name, inst.type.entries()));
    switch (inst.op) {
      case Op::Constant: case Op::Input: case Op::Copy: case Op::Envelope: case Op::Live: case Op::Neg: case Op::Add:
      case Op::Sub: case Op::Mul: case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Abs: case Op::Sign: case Op::Min:
      case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or:
      case Op::Not: case Op::Select: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round:
      case Op::Iterate:
        continue;
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
        return fail("spirv-lacks-op", fmt::format("`{}` reached SPIR-V in `{}`; the pass `elementary` replaces it",
                                                  ir::info(inst.op).text, function.name));
      case Op::Identity: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad:
      case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner:
      case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross: case Op::Rotation:
        return fail("spirv-lacks-op", fmt::format("`{}` reached SPIR-V in `{}`; the pass `expand` replaces it",
                                                  ir::info(inst.op).text, function.name));
    }
  }
  for (const Function& body : function.bodies)
    if (const Result<void> inner = check_supported(body); !inner) return fail(inner.error());
  return {};
}

class Writer {
 public:
  Writer(const Function& function, FloatControls controls) : function_(function), controls_(controls) {}

  std::vector<uint32_t> run() {
    m_.require(spv::Capability::PhysicalStorageBufferAddresses);
    declare_arguments();
    open();
    std::vector<Id> values(function_.insts.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const Inst& inst = function_.insts[i];
      values[i] = inst.op == Op::Input ? emit_input(inst) : emit(function_, inst, values);
    }
    store_outputs(values);
    close();
    set_float_controls();
    return m_.words();
  }

 private:
  /// An argument: where its address stands in the table, and, once asked for, its data and the entity's place in it.
  struct Argument {
    Id data_type = 0;  ///< pointer to the structure that holds an array of reals
    Id data = 0, base = 0;
  };

  Id reals() { return m_.type_real(); }
  Id uints() { return m_.type_uint(); }
  Id bools() { return m_.type_bool(); }
  Id type_of(Kind kind) { return kind == Kind::Bool ? bools() : reals(); }
  Id real(double number) { return m_.constant_real(number); }

  /// A pointer to a structure of one array without end of reals.
  Id reals_in_memory(Id array, bool is_input) {
    const Id structure = m_.new_structure({&array, 1});
    m_.name(structure, is_input ? "InputReals" : "OutputReals");
    m_.decorate(structure, Decoration::Block);
    m_.decorate_member(structure, 0, Decoration::Offset, {0});
    if (is_input) m_.decorate_member(structure, 0, Decoration::NonWritable);
    return m_.type_pointer(StorageClass::PhysicalStorageBuffer, structure);
  }

  /// The table of addresses and the push constants that lead to it.
  void declare_arguments() {
    const Id array = m_.type(spv::Op::OpTypeRuntimeArray, {reals()});
    m_.decorate(array, Decoration::ArrayStride, {kRealBytes});
    const Id input = reals_in_memory(array, true), output = reals_in_memory(array, false);
    std::vector<Id> members;
    for (size_t i = 0; i < function_.inputs.size(); ++i) arguments_.push_back({input});
    for (size_t i = 0; i < function_.outputs.size(); ++i) arguments_.push_back({output});
    for (const Argument& argument : arguments_) members.push_back(argument.data_type);
    const Id table = m_.new_structure(members);
    m_.name(table, "Table");
    m_.decorate(table, Decoration::Block);
    for (uint32_t i = 0; i < members.size(); ++i) {
      const bool is_input = i < function_.inputs.size();
      m_.member_name(table, i, is_input ? function_.inputs[i].name : function_.outputs[i - function_.inputs.size()].name);
      m_.decorate_member(table, i, Decoration::Offset, {i * kAddressBytes});
      m_.decorate_member(table, i, Decoration::NonWritable);
    }
    table_pointer_ = m_.type_pointer(StorageClass::PhysicalStorageBuffer, table);

    const std::array<Id, 3> launch_members = {table_pointer_, uints(), uints()};
    const Id launch = m_.new_structure(launch_members);
    m_.name(launch, "LaunchArguments");
    m_.decorate(launch, Decoration::Block);
    const char* names[] = {"table", "first", "last"};
    const uint32_t offsets[] = {offsetof(LaunchArguments, table), offsetof(LaunchArguments, first),
                                offsetof(LaunchArguments, last)};
    for (uint32_t i = 0; i < 3; ++i) {
      m_.member_name(launch, i, names[i]);
      m_.decorate_member(launch, i, Decoration::Offset, {offsets[i]});
    }
    launch_ = variable(StorageClass::PushConstant, launch, "launch");
    invocation_ = variable(StorageClass::Input, m_.type_uints(3), "invocation");
    m_.decorate(invocation_, Decoration::BuiltIn, {word(spv::BuiltIn::GlobalInvocationId)});
  }

  Id variable(StorageClass storage, Id type, const char* name) {
    const Id pointer = m_.type_pointer(storage, type), id = m_.fresh();
    m_.add(Section::Globals, spv::Op::OpVariable, {pointer, id, word(storage)});
    m_.name(id, name);
    return id;
  }

  Id launch_argument(uint32_t member, Id type) {
    const Id pointer = m_.value(spv::Op::OpAccessChain, m_.type_pointer(StorageClass::PushConstant, type),
                                {launch_, m_.constant_uint(member)});
    return m_.value(spv::Op::OpLoad, type, {pointer});
  }

  void open() {
    const Id nothing = m_.type_void(), type = m_.type(spv::Op::OpTypeFunction, {nothing}), main = m_.fresh();
    m_.entry_point(main, "main", {launch_, invocation_});
    m_.name(main, function_.name);
    main_ = main;
    m_.add(Section::ExecutionModes, spv::Op::OpExecutionMode,
           {main, word(spv::ExecutionMode::LocalSize), kLocalSize, 1, 1});
    m_.code(spv::Op::OpFunction, {nothing, main, word(spv::FunctionControlMask::MaskNone), type});
    m_.label(m_.fresh());
    const Id ids = m_.value(spv::Op::OpLoad, m_.type_uints(3), {invocation_});
    const Id id = m_.value(spv::Op::OpCompositeExtract, uints(), {ids, 0});
    const Id lanes = m_.constant_uint(ASB_LANES);
    const Id first = launch_argument(1, uints()), last = launch_argument(2, uints());
    const Id block = m_.value(spv::Op::OpIAdd, uints(), {first, m_.value(spv::Op::OpUDiv, uints(), {id, lanes})});
    lane_ = m_.value(spv::Op::OpUMod, uints(), {id, lanes});
    block_start_ = m_.value(spv::Op::OpIMul, uints(), {block, lanes});
    const Id is_ours = m_.value(spv::Op::OpULessThan, bools(), {block, last});
    const Id body = m_.fresh();
    done_ = m_.fresh();
    m_.code(spv::Op::OpSelectionMerge, {done_, word(spv::SelectionControlMask::MaskNone)});
    m_.code(spv::Op::OpBranchConditional, {is_ours, body, done_});
    m_.label(body);
    table_ = launch_argument(0, table_pointer_);
    for (size_t i = 0; i < function_.inputs.size(); ++i)
      open_argument(i, function_.inputs[i].type.entries(), function_.inputs[i].per_entity());
    for (size_t i = 0; i < function_.outputs.size(); ++i)
      open_argument(function_.inputs.size() + i, static_cast<int32_t>(function_.outputs[i].values.size()), true);
  }

  void open_argument(size_t i, int32_t entries, bool per_entity) {
    Argument& a = arguments_[i];
    const Id place = m_.value(spv::Op::OpAccessChain, m_.type_pointer(StorageClass::PhysicalStorageBuffer, a.data_type),
                              {table_, m_.constant_uint(static_cast<uint32_t>(i))});
    a.data = m_.value(spv::Op::OpLoad, a.data_type, {place, word(spv::MemoryAccessMask::Aligned), kAddressBytes});
    if (!per_entity) return;
    const Id start = m_.value(spv::Op::OpIMul, uints(), {block_start_, m_.constant_int(entries)});
    a.base = m_.value(spv::Op::OpIAdd, uints(), {start, lane_});
  }

  Id place_of(const Argument& a, int32_t entry) {
    const Id index = a.base ? m_.value(spv::Op::OpIAdd, uints(), {a.base, m_.constant_int(entry * ASB_LANES)})
                            : m_.constant_int(entry);
    return m_.value(spv::Op::OpAccessChain, m_.type_pointer(StorageClass::PhysicalStorageBuffer, reals()),
                    {a.data, m_.constant_uint(0), index});
  }

  Id emit_input(const Inst& inst) {
    const Id place = place_of(arguments_[inst.index], inst.extra);
    const Id value = m_.value(spv::Op::OpLoad, reals(), {place, word(spv::MemoryAccessMask::Aligned), kRealBytes});
    if (function_.inputs[inst.index].type.kind != Kind::Bool) return value;
    return m_.value(spv::Op::OpFUnordNotEqual, bools(), {value, real(0)});
  }

  void store_outputs(const std::vector<Id>& values) {
    for (size_t i = 0; i < function_.outputs.size(); ++i) {
      const ir::Output& output = function_.outputs[i];
      for (size_t k = 0; k < output.values.size(); ++k) {
        Id value = values[output.values[k].index];
        if (function_[output.values[k]].type.kind == Kind::Bool)
          value = m_.value(spv::Op::OpSelect, reals(), {value, real(1), real(0)});
        const Id place = place_of(arguments_[function_.inputs.size() + i], static_cast<int32_t>(k));
        m_.code(spv::Op::OpStore, {place, value, word(spv::MemoryAccessMask::Aligned), kRealBytes});
      }
    }
  }

  void close() {
    m_.code(spv::Op::OpBranch, {done_});
    m_.label(done_);
    m_.code(spv::Op::OpReturn);
    m_.code(spv::Op::OpFunctionEnd);
  }

  void set_float_controls() {
    const auto set = [&](bool wanted, spv::Capability capability, spv::ExecutionMode mode) {
      if (!wanted) return;
      m_.require(capability);
      m_.add(Section::ExecutionModes, spv::Op::OpExecutionMode, {main_, word(mode), 64});
    };
    set(controls_.keeps_subnormals, spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve);
    set(controls_.keeps_zeros_infs_nans, spv::Capability::SignedZeroInfNanPreserve,
        spv::ExecutionMode::SignedZeroInfNanPreserve);
    set(controls_.rounds_to_even, spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE);
  }

  Id compare(spv::Op op, Id a, Id b) { return m_.value(op, bools(), {a, b}); }
  Id select(Kind kind, Id condition, Id yes, Id no) {
    return m_.value(spv::Op::OpSelect, type_of(kind), {condition, yes, no});
  }

  /// One instruction on operands already emitted. Input is the caller's.
  Id emit(const Function& function, const Inst& inst, const std::vector<Id>& values) {
    const auto v = [&](size_t i) { return values[inst.args[i].index]; };
    switch (inst.op) {
      case Op::Constant: return inst.type.kind == Kind::Bool ? m_.constant_bool(inst.number != 0) : real(inst.number);
      case Op::Copy:
      case Op::Envelope:
      case Op::Live: return v(0);
      case Op::Neg: return emit_exact(m_, spv::Op::OpFNegate, reals(), {v(0)});
      case Op::Add: return emit_exact(m_, spv::Op::OpFAdd, reals(), {v(0), v(1)});
      case Op::Sub: return emit_exact(m_, spv::Op::OpFSub, reals(), {v(0), v(1)});
      case Op::Mul: return emit_exact(m_, spv::Op::OpFMul, reals(), {v(0), v(1)});
      case Op::Div: return emit_exact(m_, spv::Op::OpFDiv, reals(), {v(0), v(1)});
      case Op::Fma: return m_.glsl(GLSLstd450Fma, reals(), {v(0), v(1), v(2)});
      case Op::Sqrt: return m_.glsl(GLSLstd450Sqrt, reals(), {v(0)});
      case Op::Abs: return m_.glsl(GLSLstd450FAbs, reals(), {v(0)});
      case Op::Sign: return select(Kind::Real, compare(spv::Op::OpFOrdGreaterThanEqual, v(0), real(0)), real(1), real(-1));
      // not FMin and FMax, which may give either operand where one is NaN
      case Op::Min: return select(Kind::Real, compare(spv::Op::OpFOrdLessThan, v(1), v(0)), v(1), v(0));
      case Op::Max: return select(Kind::Real, compare(spv::Op::OpFOrdLessThan, v(0), v(1)), v(1), v(0));
      case Op::Floor: return m_.glsl(GLSLstd450Floor, reals(), {v(0)});
      case Op::Round: return m_.glsl(GLSLstd450RoundEven, reals(), {v(0)});
      case Op::Less: return compare(spv::Op::OpFOrdLessThan, v(0), v(1));
      case Op::LessEqual: return compare(spv::Op::OpFOrdLessThanEqual, v(0), v(1));
      case Op::Equal: return compare(spv::Op::OpFOrdEqual, v(0), v(1));
      case Op::And: return compare(spv::Op::OpLogicalAnd, v(0), v(1));
      case Op::Or: return compare(spv::Op::OpLogicalOr, v(0), v(1));
      case Op::Not: return m_.value(spv::Op::OpLogicalNot, bools(), {v(0)});
      case Op::Select: return select(inst.type.kind, v(0), v(1), v(2));
      case Op::Exponent: return emit_exponent(m_, v(0));
      case Op::Mantissa: return emit_mantissa(m_, v(0));
      case Op::ScaleByPowerOf2: return emit_scale_by_power_of_2(m_, v(0), v(1));
      case Op::Iterate: {
        std::vector<Id> arguments;
        for (size_t i = 0; i < inst.args.size(); ++i) arguments.push_back(v(i));
        return emit_iterate(function.bodies[inst.index], inst.extra, inst.type.kind, std::move(arguments));
      }
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
      case Op::Identity: case Op::Input: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad:
      case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner:
      case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross: case Op::Rotation:
        break;
    }
    ASB_UNREACHABLE("an op that check_supported refuses");
  }

  /// Rounds of `body` until it says stop or `cap` (at least 1) rounds were run.
  Id emit_iterate(const Function& body, int32_t cap, Kind kind, std::vector<Id> arguments) {
    const Id header = m_.fresh(), round_block = m_.fresh(), again = m_.fresh(), after = m_.fresh();
    const Id before = m_.block(), next_round = m_.fresh();
    m_.code(spv::Op::OpBranch, {header});
    m_.label(header);
    const Id carried = m_.fresh(), round = m_.fresh(), next = m_.fresh();
    m_.code(spv::Op::OpPhi, {type_of(kind), carried, arguments[0], before, next, again});
    m_.code(spv::Op::OpPhi, {uints(), round, m_.constant_uint(0), before, next_round, again});
    m_.code(spv::Op::OpLoopMerge, {after, again, word(spv::LoopControlMask::MaskNone)});
    m_.code(spv::Op::OpBranch, {round_block});
    m_.label(round_block);
    arguments[0] = carried;
    std::vector<Id> values(body.insts.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const Inst& inst = body.insts[i];
      values[i] = inst.op == Op::Input ? arguments[inst.index] : emit(body, inst, values);
    }
    // The phi named `next` before it was known; a copy gives the value that name.
    m_.code(spv::Op::OpCopyObject, {type_of(kind), next, values[body.outputs[0].values[0].index]});
    m_.code(spv::Op::OpIAdd, {uints(), next_round, round, m_.constant_uint(1)});
    const Id stop = values[body.outputs[1].values[0].index];
    const Id at_cap = compare(spv::Op::OpUGreaterThanEqual, next_round, m_.constant_int(cap));
    m_.code(spv::Op::OpBranchConditional, {compare(spv::Op::OpLogicalOr, stop, at_cap), after, again});
    m_.label(again);
    m_.code(spv::Op::OpBranch, {header});
    m_.label(after);
    return next;
  }

  Module m_;
  const Function& function_;
  FloatControls controls_;
  std::vector<Argument> arguments_;  ///< inputs, then outputs
  Id table_pointer_ = 0, launch_ = 0, invocation_ = 0;
  Id main_ = 0, done_ = 0, table_ = 0, lane_ = 0, block_start_ = 0;
};

}  // namespace

Result<std::vector<uint32_t>> write(const Function& function, FloatControls controls) {
  if (const Result<void> supported = check_supported(function); !supported) return fail(supported.error());
  return Writer(function, controls).run();
}

}  // namespace asb::spirv
