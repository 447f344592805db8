// The emitter. Shape of what it makes, for vectors of W lanes (V = ASB_LANES / W vectors a block):
//
//   entry:   pointers of the arguments; values that vary with no entity, in every lane
//   vector:  v = first·V … last·V - 1, step 1; argument of n entries: base = data + (v / V)·n·ASB_LANES + (v % V)·W,
//            its entry k at base + k·ASB_LANES, so every load and store is aligned to its own size
//   exit:    return
//
// Iterate adds loops inside `vector`.
#include "backends/llvm/emit_ir.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <cctype>

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
    values_.resize(function_.insts.size());
    input_bases_.resize(function_.inputs.size());
    for (size_t i = 0; i < function_.insts.size(); ++i)
      if (uniform[i]) values_[i] = emit_top_level(function_.insts[i]);
    open_loop();
    for (size_t i = 0; i < function_.insts.size(); ++i)
      if (!uniform[i]) values_[i] = emit_top_level(function_.insts[i]);
    store_outputs();
    close_loop();
  }

 private:
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
    block_ = b_.CreateUDiv(vector_, index(vectors_per_block()));
    block_ = b_.CreateMul(block_, index(ASB_LANES));
    within_ = b_.CreateMul(b_.CreateURem(vector_, index(vectors_per_block())), index(target_.lanes));
  }

  void close_loop() {
    Value* next = b_.CreateAdd(vector_, index(1));
    vector_->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end_), loop_, exit_);
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
  }

  /// Where the vector at hand starts in a per-entity argument of n entries.
  Value* base_of(Value* data, int32_t entries) {
    Value* offset = b_.CreateAdd(b_.CreateMul(block_, index(entries)), within_);
    return b_.CreateInBoundsGEP(b_.getDoubleTy(), data, offset);
  }

  Value* to_kind(Value* reals, Kind kind) {
    return kind == Kind::Bool ? b_.CreateFCmpUNE(reals, real(0)) : reals;
  }

  Value* emit_input(const Inst& inst) {
    const ir::Input& input = function_.inputs[inst.index];
    llvm::LoadInst* load = nullptr;
    Value* value = nullptr;
    if (input.per_entity()) {
      Value*& base = input_bases_[inst.index];
      if (!base) base = base_of(inputs_[inst.index], input.type.entries());
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

  void store_outputs() {
    for (size_t i = 0; i < function_.outputs.size(); ++i) {
      const ir::Output& output = function_.outputs[i];
      Value* base = base_of(outputs_[i], static_cast<int32_t>(output.values.size()));
      for (size_t k = 0; k < output.values.size(); ++k) {
        Value* value = values_[output.values[k].index];
        if (function_[output.values[k]].type.kind == Kind::Bool) value = b_.CreateSelect(value, real(1), real(0));
        Value* place = b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), base, k * ASB_LANES);
        llvm::StoreInst* store = b_.CreateAlignedStore(value, place, alignment());
        store->setMetadata(llvm::LLVMContext::MD_noalias, inputs_scope_);
      }
    }
  }

  Value* emit_top_level(const Inst& inst) {
    if (inst.op == Op::Input) return emit_input(inst);
    std::vector<Value*> operands;
    for (ValueId arg : inst.args) operands.push_back(values_[arg.index]);
    return emit(function_, inst, operands);
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
      case Op::Iterate: return emit_iterate(function.bodies[inst.index], inst.extra, v);
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

  /// A loop until all lanes have stopped or `cap` rounds were run. A stopped lane keeps its value.
  Value* emit_iterate(const Function& body, int32_t cap, std::vector<Value*> arguments) {
    if (cap <= 0) return arguments[0];
    llvm::LLVMContext& context = module_.getContext();
    llvm::Type* flags = reals_->getWithNewType(b_.getInt1Ty());
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* loop = BasicBlock::Create(context, "iterate", kernel_);
    BasicBlock* after = BasicBlock::Create(context, "iterated", kernel_);
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* carried = b_.CreatePHI(arguments[0]->getType(), 2, "carried");
    llvm::PHINode* active = b_.CreatePHI(flags, 2, "active");
    llvm::PHINode* round = b_.CreatePHI(b_.getInt32Ty(), 2, "round");
    carried->addIncoming(arguments[0], before);
    active->addIncoming(llvm::ConstantInt::getTrue(flags), before);
    round->addIncoming(b_.getInt32(0), before);

    arguments[0] = carried;
    const std::vector<Value*> results = emit_body(body, arguments);
    Value* next = b_.CreateSelect(active, results[0], carried);
    Value* going = b_.CreateAnd(active, b_.CreateNot(results[1]));
    Value* rounds = b_.CreateAdd(round, b_.getInt32(1));
    carried->addIncoming(next, b_.GetInsertBlock());
    active->addIncoming(going, b_.GetInsertBlock());
    round->addIncoming(rounds, b_.GetInsertBlock());
    Value* any = b_.CreateOrReduce(going);
    b_.CreateCondBr(b_.CreateAnd(any, b_.CreateICmpSLT(rounds, b_.getInt32(cap))), loop, after);
    b_.SetInsertPoint(after);
    return next;
  }

  llvm::Module& module_;
  const Function& function_;
  const Target& target_;
  llvm::IRBuilder<> b_;
  llvm::Type* reals_;
  llvm::MDNode* inputs_scope_ = nullptr;
  llvm::Function* kernel_ = nullptr;
  std::vector<Value*> inputs_, outputs_;  ///< data pointers
  std::vector<Value*> input_bases_;       ///< per-entity inputs at the vector at hand
  std::vector<Value*> values_;            ///< by instruction
  BasicBlock* loop_ = nullptr;
  BasicBlock* exit_ = nullptr;
  llvm::PHINode* vector_ = nullptr;
  Value* end_ = nullptr;
  Value* block_ = nullptr;   ///< ASB_LANES × number of the block
  Value* within_ = nullptr;  ///< first lane of the vector within its block
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
