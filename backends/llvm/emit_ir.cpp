// The emitter. Shape of what it makes, for vectors of W lanes (V = ASB_LANES / W vectors a block):
//
//   entry:   pointers of the arguments; values that vary with no entity, in every lane
//   vector:  v = first·V … last·V - 1, step 1; argument of n entries: base = data + (v / V)·n·ASB_LANES + (v % V)·W,
//            its entry k at base + k·ASB_LANES, so every load and store is aligned to its own size
//   exit:    return
//
// Iterate adds loops inside `vector`, in which each step waits for the one before. Small kernels with one therefore run
// two streams at a time, vectors v and v + 1 (step 2), which share these loops and nothing else; the last vector of an
// odd count is computed in both.
#include "backends/llvm/emit_ir.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <cctype>
#include <span>

#include "abi/kernel.h"
#include "backends/llvm/emit_bits.h"

namespace asb::llvm_backend {
namespace {

using ir::Function;
using ir::Inst;
using ir::Kind;
using ir::Op;
using ir::ValueId;
using llvm::BasicBlock;
using llvm::Value;

/// Kernels of more instructions than this run one stream: they hide the wait of their loops elsewhere, and measured
/// no gain from twice the code.
constexpr size_t kMostInterleaved = 800;

/// True for instructions whose value varies with no entity.
std::vector<bool> uniform_instructions(const Function& function) {
  std::vector<bool> uniform(function.insts.size());
  for (size_t i = 0; i < function.insts.size(); ++i) {
    const Inst& inst = function.insts[i];
    if (inst.op == Op::Input) {
      uniform[i] = !function.inputs[inst.index].per_entity();
      continue;
    }
    uniform[i] = true;
    for (ValueId arg : inst.args) uniform[i] = uniform[i] && uniform[arg.index];
  }
  return uniform;
}

/// What the scalar stage may hold. The first thing that it may not is an Error.
Result<void> check_supported(const Function& function) {
  for (const Inst& inst : function.insts) {
    if (!inst.type.is_scalar())
      return fail("llvm-not-scalar", fmt::format("`{}` has a value of {} entries; kernels reach LLVM as scalars",
                                                 function.name, inst.type.entries()));
    switch (inst.op) {
      case Op::Constant: case Op::Input: case Op::Copy: case Op::Envelope: case Op::Live: case Op::Neg: case Op::Add:
      case Op::Sub: case Op::Mul: case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Abs: case Op::Sign: case Op::Min:
      case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or:
      case Op::Not: case Op::Select: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round:
      case Op::Iterate:
        continue;
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
        return fail("llvm-lacks-op", fmt::format("`{}` reached LLVM in `{}`; the pass `elementary` replaces it",
                                                 ir::info(inst.op).text, function.name));
      case Op::Identity: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad:
      case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner:
      case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross: case Op::Rotation:
        return fail("llvm-lacks-op", fmt::format("`{}` reached LLVM in `{}`; the pass `expand` replaces it",
                                                 ir::info(inst.op).text, function.name));
    }
  }
  for (const Function& body : function.bodies)
    if (const Result<void> inner = check_supported(body); !inner) return fail(inner.error());
  return {};
}

class Emitter {
 public:
  Emitter(llvm::Module& module, const Function& function, const Target& target)
      : module_(module),
        function_(function),
        target_(target),
        b_(module.getContext()),
        reals_(llvm::FixedVectorType::get(b_.getDoubleTy(), target.lanes)) {
    if (target.contract) {
      llvm::FastMathFlags flags;
      flags.setAllowContract();
      b_.setFastMathFlags(flags);
    }
    llvm::MDBuilder metadata(module.getContext());
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(function.name);
    inputs_scope_ = llvm::MDNode::get(module.getContext(), metadata.createAnonymousAliasScope(domain, "inputs"));
  }

  void run() {
    declare();
    const std::vector<bool> uniform = uniform_instructions(function_);
    std::vector<size_t> varying;
    bool iterates = false;
    streams_.resize(1);
    streams_[0].values.resize(function_.insts.size());
    for (size_t i = 0; i < function_.insts.size(); ++i) {
      if (uniform[i]) {
        emit_at(i, streams_);
      } else {
        varying.push_back(i);
        iterates = iterates || function_.insts[i].op == Op::Iterate;
      }
    }
    if (iterates && varying.size() <= kMostInterleaved) streams_.push_back(streams_[0]);
    open_loop();
    // Stream by stream up to the next loop, which all share: little more is alive at once than with one stream.
    for (size_t begin = 0; begin < varying.size();) {
      size_t end = begin;
      while (end < varying.size() && function_.insts[varying[end]].op != Op::Iterate) ++end;
      for (Stream& stream : streams_)
        for (size_t i = begin; i < end; ++i) emit_at(varying[i], {&stream, 1});
      if (end < varying.size()) emit_at(varying[end], streams_);
      begin = end + 1;
    }
    for (const Stream& stream : streams_) store_outputs(stream);
    close_loop();
  }

 private:
  /// One vector of entities on its way through the kernel.
  struct Stream {
    std::vector<Value*> values;  ///< by instruction
    std::vector<Value*> bases;   ///< of per-entity inputs
    Value* block = nullptr;      ///< ASB_LANES × number of the block
    Value* within = nullptr;     ///< first lane of the vector within its block
  };

  Value* real(double number) { return llvm::ConstantFP::get(reals_, number); }
  Value* index(int64_t i) { return b_.getInt64(i); }
  llvm::Align alignment() const { return llvm::Align(sizeof(double) * target_.lanes); }
  int vectors_per_block() const { return ASB_LANES / target_.lanes; }

  void declare() {
    llvm::Type* pointer = b_.getPtrTy();
    llvm::Type* i64 = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, i64, i64}, false);
    kernel_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol_of(function_), module_);
    kernel_->addFnAttr(llvm::Attribute::NoUnwind);
    kernel_->addFnAttr("prefer-vector-width", std::to_string(64 * target_.lanes));
    kernel_->addFnAttr("min-legal-vector-width", std::to_string(64 * target_.lanes));
    const char* names[] = {"inputs", "outputs", "first", "last"};
    for (unsigned i = 0; i < 4; ++i) kernel_->getArg(i)->setName(names[i]);
    b_.SetInsertPoint(BasicBlock::Create(module_.getContext(), "entry", kernel_));
    for (size_t i = 0; i < function_.inputs.size(); ++i)
      inputs_.push_back(load_pointer(kernel_->getArg(0), i, function_.inputs[i].name));
    for (size_t i = 0; i < function_.outputs.size(); ++i)
      outputs_.push_back(load_pointer(kernel_->getArg(1), i, function_.outputs[i].name));
  }

  Value* load_pointer(Value* table, size_t i, const std::string& name) {
    Value* place = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), table, i);
    llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getPtrTy(), place, llvm::Align(sizeof(void*)), name);
    load->setMetadata(llvm::LLVMContext::MD_alias_scope, inputs_scope_);
    return load;
  }

  void open_loop() {
    llvm::LLVMContext& context = module_.getContext();
    BasicBlock* entry = b_.GetInsertBlock();
    loop_ = BasicBlock::Create(context, "vector", kernel_);
    exit_ = BasicBlock::Create(context, "exit", kernel_);
    Value* begin = b_.CreateMul(kernel_->getArg(2), index(vectors_per_block()));
    end_ = b_.CreateMul(kernel_->getArg(3), index(vectors_per_block()));
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end_), loop_, exit_);
    b_.SetInsertPoint(loop_);
    vector_ = b_.CreatePHI(b_.getInt64Ty(), 2, "v");
    vector_->addIncoming(begin, entry);
    Value* last = b_.CreateSub(end_, index(1));
    for (size_t i = 0; i < streams_.size(); ++i) {
      Value* v = vector_;
      if (i > 0) v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(vector_, index(i)), last);
      streams_[i].block = b_.CreateMul(b_.CreateUDiv(v, index(vectors_per_block())), index(ASB_LANES));
      streams_[i].within = b_.CreateMul(b_.CreateURem(v, index(vectors_per_block())), index(target_.lanes));
      streams_[i].bases.assign(function_.inputs.size(), nullptr);
    }
  }

  void close_loop() {
    Value* next = b_.CreateAdd(vector_, index(streams_.size()));
    vector_->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end_), loop_, exit_);
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
  }

  /// Where a stream's vector starts in a per-entity argument of n entries.
  Value* base_of(const Stream& stream, Value* data, int32_t entries) {
    Value* offset = b_.CreateAdd(b_.CreateMul(stream.block, index(entries)), stream.within);
    return b_.CreateInBoundsGEP(b_.getDoubleTy(), data, offset);
  }

  Value* to_kind(Value* reals, Kind kind) {
    return kind == Kind::Bool ? b_.CreateFCmpUNE(reals, real(0)) : reals;
  }

  Value* emit_input(Stream& stream, const Inst& inst) {
    const ir::Input& input = function_.inputs[inst.index];
    llvm::LoadInst* load = nullptr;
    Value* value = nullptr;
    if (input.per_entity()) {
      Value*& base = stream.bases[inst.index];
      if (!base) base = base_of(stream, inputs_[inst.index], input.type.entries());
      Value* place = b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), base, int64_t{inst.extra} * ASB_LANES);
      value = load = b_.CreateAlignedLoad(reals_, place, alignment());
    } else {
      Value* place = b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), inputs_[inst.index], inst.extra);
      load = b_.CreateAlignedLoad(b_.getDoubleTy(), place, llvm::Align(sizeof(double)));
      value = b_.CreateVectorSplat(target_.lanes, load);
    }
    load->setMetadata(llvm::LLVMContext::MD_alias_scope, inputs_scope_);
    return to_kind(value, input.type.kind);
  }

  void store_outputs(const Stream& stream) {
    for (size_t i = 0; i < function_.outputs.size(); ++i) {
      const ir::Output& output = function_.outputs[i];
      Value* base = base_of(stream, outputs_[i], static_cast<int32_t>(output.values.size()));
      for (size_t k = 0; k < output.values.size(); ++k) {
        Value* value = stream.values[output.values[k].index];
        if (function_[output.values[k]].type.kind == Kind::Bool) value = b_.CreateSelect(value, real(1), real(0));
        Value* place = b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), base, k * ASB_LANES);
        llvm::StoreInst* store = b_.CreateAlignedStore(value, place, alignment());
        store->setMetadata(llvm::LLVMContext::MD_noalias, inputs_scope_);
      }
    }
  }

  /// Instruction i of the kernel, for some streams.
  void emit_at(size_t i, std::span<Stream> streams) {
    const Inst& inst = function_.insts[i];
    std::vector<std::vector<Value*>> operands(streams.size());
    for (size_t k = 0; k < streams.size(); ++k)
      for (ValueId arg : inst.args) operands[k].push_back(streams[k].values[arg.index]);
    if (inst.op == Op::Iterate) {
      const std::vector<Value*> results = emit_iterate(function_.bodies[inst.index], inst.extra, std::move(operands));
      for (size_t k = 0; k < streams.size(); ++k) streams[k].values[i] = results[k];
      return;
    }
    for (size_t k = 0; k < streams.size(); ++k)
      streams[k].values[i] = inst.op == Op::Input ? emit_input(streams[k], inst) : emit(function_, inst, operands[k]);
  }

  /// One instruction on operands already emitted. Input is the caller's.
  Value* emit(const Function& function, const Inst& inst, const std::vector<Value*>& v) {
    using llvm::Intrinsic::fabs;
    switch (inst.op) {
      case Op::Constant:
        if (inst.type.kind == Kind::Bool)
          return llvm::ConstantInt::get(reals_->getWithNewType(b_.getInt1Ty()), inst.number != 0);
        return real(inst.number);
      case Op::Copy:
      case Op::Envelope:
      case Op::Live: return v[0];
      case Op::Neg: return b_.CreateFNeg(v[0]);
      case Op::Add: return b_.CreateFAdd(v[0], v[1]);
      case Op::Sub: return b_.CreateFSub(v[0], v[1]);
      case Op::Mul: return b_.CreateFMul(v[0], v[1]);
      case Op::Div: return b_.CreateFDiv(v[0], v[1]);
      case Op::Fma: return b_.CreateIntrinsic(llvm::Intrinsic::fma, {reals_}, {v[0], v[1], v[2]});
      case Op::Sqrt: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
      case Op::Abs: return b_.CreateUnaryIntrinsic(fabs, v[0]);
      case Op::Sign: return b_.CreateSelect(b_.CreateFCmpOGE(v[0], real(0)), real(1), real(-1));
      case Op::Min: return b_.CreateSelect(b_.CreateFCmpOLT(v[1], v[0]), v[1], v[0]);
      case Op::Max: return b_.CreateSelect(b_.CreateFCmpOLT(v[0], v[1]), v[1], v[0]);
      case Op::Floor: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, v[0]);
      case Op::Round: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, v[0]);
      case Op::Less: return b_.CreateFCmpOLT(v[0], v[1]);
      case Op::LessEqual: return b_.CreateFCmpOLE(v[0], v[1]);
      case Op::Equal: return b_.CreateFCmpOEQ(v[0], v[1]);
      case Op::And: return b_.CreateAnd(v[0], v[1]);
      case Op::Or: return b_.CreateOr(v[0], v[1]);
      case Op::Not: return b_.CreateNot(v[0]);
      case Op::Select: return b_.CreateSelect(v[0], v[1], v[2]);
      case Op::Exponent: return emit_exponent(b_, target_, v[0]);
      case Op::Mantissa: return emit_mantissa(b_, target_, v[0]);
      case Op::ScaleByPowerOf2: return emit_scale_by_power_of_2(b_, target_, v[0], v[1]);
      case Op::Iterate: return emit_iterate(function.bodies[inst.index], inst.extra, {v})[0];
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
      case Op::Identity: case Op::Input: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad:
      case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner:
      case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross: case Op::Rotation:
        break;
    }
    ASB_UNREACHABLE("an op that check_supported refuses");
  }

  /// The values of a body whose inputs are given; its instructions go to the current block.
  std::vector<Value*> emit_body(const Function& body, const std::vector<Value*>& arguments) {
    std::vector<Value*> values(body.insts.size());
    for (size_t i = 0; i < body.insts.size(); ++i) {
      const Inst& inst = body.insts[i];
      if (inst.op == Op::Input) {
        values[i] = arguments[inst.index];
        continue;
      }
      std::vector<Value*> operands;
      for (ValueId arg : inst.args) operands.push_back(values[arg.index]);
      values[i] = emit(body, inst, operands);
    }
    std::vector<Value*> results;
    for (const ir::Output& output : body.outputs) results.push_back(values[output.values[0].index]);
    return results;
  }

  /// A loop until all lanes of all streams have stopped or `cap` rounds were run. A stopped lane keeps its value.
  std::vector<Value*> emit_iterate(const Function& body, int32_t cap, std::vector<std::vector<Value*>> arguments) {
    const size_t n = arguments.size();
    std::vector<Value*> result(n);
    for (size_t k = 0; k < n; ++k) result[k] = arguments[k][0];
    if (cap <= 0) return result;
    llvm::LLVMContext& context = module_.getContext();
    llvm::Type* flags = reals_->getWithNewType(b_.getInt1Ty());
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = BasicBlock::Create(context, "iterate", kernel_);
    BasicBlock* after = BasicBlock::Create(context, "iterated", kernel_);
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* round = b_.CreatePHI(b_.getInt32Ty(), 2, "round");
    round->addIncoming(b_.getInt32(0), before);
    std::vector<llvm::PHINode*> carried(n), active(n);
    for (size_t k = 0; k < n; ++k) {
      carried[k] = b_.CreatePHI(result[k]->getType(), 2, "carried");
      active[k] = b_.CreatePHI(flags, 2, "active");
      carried[k]->addIncoming(result[k], before);
      active[k]->addIncoming(llvm::ConstantInt::getTrue(flags), before);
      arguments[k][0] = carried[k];
    }

    std::vector<Value*> going(n);
    for (size_t k = 0; k < n; ++k) {
      const std::vector<Value*> next = emit_body(body, arguments[k]);
      result[k] = b_.CreateSelect(active[k], next[0], carried[k]);
      going[k] = b_.CreateAnd(active[k], b_.CreateNot(next[1]));
    }
    Value* any = going[0];
    for (size_t k = 1; k < n; ++k) any = b_.CreateOr(any, going[k]);
    Value* rounds = b_.CreateAdd(round, b_.getInt32(1));
    round->addIncoming(rounds, b_.GetInsertBlock());
    for (size_t k = 0; k < n; ++k) {
      carried[k]->addIncoming(result[k], b_.GetInsertBlock());
      active[k]->addIncoming(going[k], b_.GetInsertBlock());
    }
    b_.CreateCondBr(b_.CreateAnd(b_.CreateOrReduce(any), b_.CreateICmpSLT(rounds, b_.getInt32(cap))), loop, after);
    b_.SetInsertPoint(after);
    return result;
  }

  llvm::Module& module_;
  const Function& function_;
  const Target& target_;
  llvm::IRBuilder<> b_;
  llvm::Type* reals_;
  llvm::MDNode* inputs_scope_ = nullptr;
  llvm::Function* kernel_ = nullptr;
  std::vector<Value*> inputs_, outputs_;  ///< data pointers
  std::vector<Stream> streams_;
  BasicBlock* loop_ = nullptr;
  BasicBlock* exit_ = nullptr;
  llvm::PHINode* vector_ = nullptr;
  Value* end_ = nullptr;
};

}  // namespace

std::string symbol_of(const Function& function) {
  std::string symbol = "asb.";
  for (char c : function.name) symbol += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
  return symbol;
}

Result<std::unique_ptr<llvm::Module>> emit_module(const Function& function, const Target& target,
                                                  llvm::LLVMContext& context) {
  if (const Result<void> supported = check_supported(function); !supported) return fail(supported.error());
  auto module = std::make_unique<llvm::Module>(function.name, context);
  module->setTargetTriple(target.machine->getTargetTriple().str());
  module->setDataLayout(target.machine->createDataLayout());
  Emitter(*module, function, target).run();
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  ASB_CHECK(!llvm::verifyModule(*module, &stream), broken.c_str());
  return module;
}

}  // namespace asb::llvm_backend
