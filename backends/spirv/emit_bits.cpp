// An f64 is sign (1 bit), biased exponent (11), fraction (52); the high word holds the first 32 bits.
#include "backends/spirv/emit_bits.h"

namespace asb::spirv {
namespace {

constexpr uint32_t kSign = 0x80000000, kFractionHigh = 0x000fffff, kExponentOfOne = 0x3ff00000;
constexpr int32_t kBias = 1023;

/// Whole numbers of 32 bits, with the arithmetic that this file needs.
class Whole {
 public:
  explicit Whole(Module& m) : m_(m), type_(m.type_uint()), bool_(m.type_bool()) {}

  Id number(int32_t n) { return m_.constant_int(n); }
  Id both(Id a, Id b) { return m_.value(spv::Op::OpBitwiseAnd, type_, {a, b}); }
  Id either(Id a, Id b) { return m_.value(spv::Op::OpBitwiseOr, type_, {a, b}); }
  Id up(Id a, Id bits) { return m_.value(spv::Op::OpShiftLeftLogical, type_, {a, bits}); }
  Id down(Id a, Id bits) { return m_.value(spv::Op::OpShiftRightLogical, type_, {a, bits}); }
  Id add(Id a, Id b) { return m_.value(spv::Op::OpIAdd, type_, {a, b}); }
  Id sub(Id a, Id b) { return m_.value(spv::Op::OpISub, type_, {a, b}); }
  Id is_zero(Id a) { return m_.value(spv::Op::OpIEqual, bool_, {a, m_.constant_uint(0)}); }
  Id less(Id a, Id b) { return m_.value(spv::Op::OpSLessThan, bool_, {a, b}); }
  Id select(Id condition, Id yes, Id no) { return m_.value(spv::Op::OpSelect, type_, {condition, yes, no}); }
  Id highest_bit(Id a) { return m_.glsl(GLSLstd450FindUMsb, type_, {a}); }

 private:
  Module& m_;
  Id type_, bool_;
};

/// The fields of a number. `top` is the place of the highest bit of a subnormal number's fraction, 0 … 51.
struct Fields {
  Id high, low;
  Id biased_exponent, fraction_high;
  Id is_subnormal, top;
};

Fields fields_of(Module& m, Whole& w, Id a) {
  Fields f;
  const Id words = m.value(spv::Op::OpBitcast, m.type_uints(2), {a});
  f.low = m.value(spv::Op::OpCompositeExtract, m.type_uint(), {words, 0});
  f.high = m.value(spv::Op::OpCompositeExtract, m.type_uint(), {words, 1});
  f.biased_exponent = w.both(w.down(f.high, w.number(20)), w.number(0x7ff));
  f.fraction_high = w.both(f.high, m.constant_uint(kFractionHigh));
  f.is_subnormal = w.is_zero(f.biased_exponent);
  f.top = w.select(w.is_zero(f.fraction_high), w.highest_bit(f.low),
                   w.add(w.highest_bit(f.fraction_high), w.number(32)));
  return f;
}

Id number_of(Module& m, Id low, Id high) {
  const Id words = m.value(spv::Op::OpCompositeConstruct, m.type_uints(2), {low, high});
  return m.value(spv::Op::OpBitcast, m.type_real(), {words});
}

}  // namespace

Id emit_exact(Module& m, spv::Op op, Id type, Words operands) {
  const Id result = m.value(op, type, operands);
  m.decorate(result, spv::Decoration::NoContraction);
  return result;
}

Id emit_exponent(Module& m, Id a) {
  Whole w(m);
  const Fields f = fields_of(m, w, a);
  // the last bit of a fraction weighs 2^-1074 in a subnormal number
  const Id exponent = w.select(f.is_subnormal, w.sub(f.top, w.number(1074)), w.sub(f.biased_exponent, w.number(kBias)));
  return m.value(spv::Op::OpConvertSToF, m.type_real(), {exponent});
}

Id emit_mantissa(Module& m, Id a) {
  Whole w(m);
  const Fields f = fields_of(m, w, a);
  // A subnormal fraction moves up by s = 1 … 52, until its highest bit is the one that normal numbers don't store.
  // Shifts by 32 and more aren't defined, so both ways take s mod 32.
  const Id s = w.sub(w.number(52), f.top);
  const Id part = w.both(s, w.number(31));
  const Id carried = w.down(f.low, w.both(w.sub(w.number(32), s), w.number(31)));
  const Id is_short = w.less(s, w.number(32));
  const Id moved_low = w.up(f.low, part);
  const Id moved_high = w.select(is_short, w.either(w.up(f.fraction_high, part), carried), moved_low);
  const Id low = w.select(f.is_subnormal, w.select(is_short, moved_low, w.number(0)), f.low);
  const Id high = w.both(w.select(f.is_subnormal, moved_high, f.high), m.constant_uint(kFractionHigh));
  const Id sign = w.both(f.high, m.constant_uint(kSign));
  return number_of(m, low, w.either(w.either(high, sign), m.constant_uint(kExponentOfOne)));
}

Id emit_scale_by_power_of_2(Module& m, Id a, Id power) {
  Whole w(m);
  const Id low = w.number(-1022), high = w.number(1023);
  const auto times_power = [&](Id whole) {  // whole in -1022 … 1023: the exponent field is written
    const Id factor = number_of(m, w.number(0), w.up(w.add(whole, w.number(kBias)), w.number(20)));
    return emit_exact(m, spv::Op::OpFMul, m.type_real(), {a, factor});
  };
  // Three factors within the range of normal numbers. A step down is 2^-969, not 2^-1022: what it may round away then
  // is lost to zero by the steps left (at least 2^-53), so the result is rounded once (as musl's scalbn does).
  Id rest = m.value(spv::Op::OpConvertFToS, m.type_uint(), {power});
  for (int step = 0; step < 2; ++step) {
    const Id up = w.select(w.less(rest, high), rest, high);
    const Id part = w.select(w.less(rest, low), w.number(-969), up);
    a = times_power(part);
    rest = w.sub(rest, part);
  }
  rest = w.select(w.less(rest, low), low, rest);
  return times_power(w.select(w.less(rest, high), rest, high));
}

}  // namespace asb::spirv
