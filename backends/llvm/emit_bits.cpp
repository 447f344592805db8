// Exponent, Mantissa, ScaleByPowerOf2.
#include "backends/llvm/emit_bits.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace asb::llvm_backend {
namespace {

using llvm::Value;

constexpr int kMantissaBits = 52;
constexpr int kBias = 1023;
constexpr double kSmallestNormal = 0x1p-1022;

Value* splat(llvm::Type* like, double number) { return llvm::ConstantFP::get(like, number); }
llvm::Type* integers(llvm::Type* reals) {
  return reals->getWithNewType(llvm::Type::getInt64Ty(reals->getContext()));
}

/// Picks the intrinsic of the width at hand; the 512-bit forms take a rounding mode as well.
llvm::Intrinsic::ID by_width(int lanes, llvm::Intrinsic::ID w2, llvm::Intrinsic::ID w4, llvm::Intrinsic::ID w8) {
  return lanes == 8 ? w8 : lanes == 4 ? w4 : w2;
}

Value* call_avx512(llvm::IRBuilderBase& b, const Target& target, llvm::Intrinsic::ID id,
                   std::vector<Value*> operands) {
  operands.push_back(b.getInt8(0xff));                            // every lane
  if (target.lanes == 8) operands.push_back(b.getInt32(4));       // rounding as the environment says: to nearest
  return b.CreateIntrinsic(id, {}, operands);
}

/// a, or a·2^54 where a is subnormal, so that its exponent field is that of a normal number.
struct Normal {
  Value* number;
  Value* was_subnormal;
};
Normal normalised(llvm::IRBuilderBase& b, Value* a) {
  llvm::Type* type = a->getType();
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  Value* subnormal = b.CreateFCmpOLT(magnitude, splat(type, kSmallestNormal));
  return {b.CreateSelect(subnormal, b.CreateFMul(a, splat(type, 0x1p54)), a), subnormal};
}

/// 2^power for whole power in [-1022, 1023]: the exponent field is written. The whole number is read from the low
/// bits of power + 1.5·2^52.
Value* power_of_2(llvm::IRBuilderBase& b, Value* power) {
  llvm::Type* type = power->getType();
  llvm::Type* whole = integers(type);
  Value* bits = b.CreateBitCast(b.CreateFAdd(power, splat(type, 0x1.8p52)), whole);
  bits = b.CreateAdd(bits, llvm::ConstantInt::get(whole, kBias));
  return b.CreateBitCast(b.CreateShl(bits, llvm::ConstantInt::get(whole, kMantissaBits)), type);
}

}  // namespace

Value* emit_exponent(llvm::IRBuilderBase& b, const Target& target, Value* a) {
  llvm::Type* type = a->getType();
  if (target.has_avx512_math) {
    using namespace llvm;
    return call_avx512(b, target,
                       by_width(target.lanes, Intrinsic::x86_avx512_mask_getexp_pd_128,
                                Intrinsic::x86_avx512_mask_getexp_pd_256, Intrinsic::x86_avx512_mask_getexp_pd_512),
                       {a, ConstantAggregateZero::get(type)});
  }
  llvm::Type* whole = integers(type);
  const Normal normal = normalised(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a));
  // The biased exponent becomes a real by standing in the mantissa of 2^52.
  Value* field = b.CreateLShr(b.CreateBitCast(normal.number, whole), llvm::ConstantInt::get(whole, kMantissaBits));
  Value* shifted = b.CreateBitCast(b.CreateOr(field, llvm::ConstantInt::get(whole, 0x4330000000000000)), type);
  Value* offset = b.CreateSelect(normal.was_subnormal, splat(type, 0x1p52 + kBias + 54), splat(type, 0x1p52 + kBias));
  return b.CreateFSub(shifted, offset);
}

Value* emit_mantissa(llvm::IRBuilderBase& b, const Target& target, Value* a) {
  llvm::Type* type = a->getType();
  if (target.has_avx512_math) {
    using namespace llvm;
    // interval [1, 2), sign of the source
    return call_avx512(b, target,
                       by_width(target.lanes, Intrinsic::x86_avx512_mask_getmant_pd_128,
                                Intrinsic::x86_avx512_mask_getmant_pd_256, Intrinsic::x86_avx512_mask_getmant_pd_512),
                       {a, b.getInt32(0), ConstantAggregateZero::get(type)});
  }
  llvm::Type* whole = integers(type);
  Value* bits = b.CreateBitCast(normalised(b, a).number, whole);
  bits = b.CreateAnd(bits, llvm::ConstantInt::get(whole, 0x800fffffffffffff));
  return b.CreateBitCast(b.CreateOr(bits, llvm::ConstantInt::get(whole, 0x3ff0000000000000)), type);
}

Value* emit_scale_by_power_of_2(llvm::IRBuilderBase& b, const Target& target, Value* a, Value* power) {
  llvm::Type* type = a->getType();
  if (target.has_avx512_math) {
    using namespace llvm;
    return call_avx512(b, target,
                       by_width(target.lanes, Intrinsic::x86_avx512_mask_scalef_pd_128,
                                Intrinsic::x86_avx512_mask_scalef_pd_256, Intrinsic::x86_avx512_mask_scalef_pd_512),
                       {a, power, ConstantAggregateZero::get(type)});
  }
  // Three factors within the range of normal numbers. A step down is 2^-969, not 2^-1022: what it may round away then
  // is lost to zero by the steps left (at least 2^-53), so the result is rounded once (as musl's scalbn does).
  for (int step = 0; step < 2; ++step) {
    Value* down = b.CreateFCmpOLT(power, splat(type, -1022.0));
    Value* up = b.CreateSelect(b.CreateFCmpOLT(power, splat(type, 1023.0)), power, splat(type, 1023.0));
    Value* part = b.CreateSelect(down, splat(type, -969.0), up);
    a = b.CreateFMul(a, power_of_2(b, part));
    power = b.CreateFSub(power, part);
  }
  power = b.CreateSelect(b.CreateFCmpOLT(power, splat(type, -1022.0)), splat(type, -1022.0), power);
  power = b.CreateSelect(b.CreateFCmpOLT(power, splat(type, 1023.0)), power, splat(type, 1023.0));
  return b.CreateFMul(a, power_of_2(b, power));
}

}  // namespace asb::llvm_backend
