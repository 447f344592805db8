// A SPIR-V module as it grows: the sections of its logical layout, ids, and types and constants made once each. Knows
// the format of SPIR-V, nothing of kernels.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp11>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace asb::spirv {

using Id = uint32_t;  ///< of a result; 0 is none
using Words = std::initializer_list<uint32_t>;

/// An enumerant as an operand.
template <class Enum>
constexpr uint32_t word(Enum e) { return static_cast<uint32_t>(e); }

class Module {
 public:
  /// In the order in which they stand in a module.
  enum class Section : uint8_t { ExecutionModes, Names, Decorations, Globals, Code };

  Module();

  Id fresh() { return next_++; }
  void require(spv::Capability capability) { capabilities_.insert(word(capability)); }

  // Declarations, each made once
  Id type_void() { return type(spv::Op::OpTypeVoid, {}); }
  Id type_bool() { return type(spv::Op::OpTypeBool, {}); }
  Id type_uint() { return type(spv::Op::OpTypeInt, {32, 0}); }
  Id type_real();                                              ///< f64; asks for Float64
  Id type_uints(uint32_t n) { return type(spv::Op::OpTypeVector, {type_uint(), n}); }
  Id type_pointer(spv::StorageClass storage, Id pointee) {
    return type(spv::Op::OpTypePointer, {word(storage), pointee});
  }
  Id type(spv::Op op, Words operands);
  Id constant_real(double number);                             ///< by its bits: -0 isn't 0
  Id constant_uint(uint32_t number);
  Id constant_int(int32_t number) { return constant_uint(static_cast<uint32_t>(number)); }
  Id constant_bool(bool value);

  /// A structure type of its own, even if an equal one exists: decorations tell them apart.
  Id new_structure(std::span<const Id> members);

  void entry_point(Id function, std::string_view name, Words interface);
  void name(Id target, std::string_view text);
  void member_name(Id structure, uint32_t member, std::string_view text);
  void decorate(Id target, spv::Decoration decoration, Words operands = {});
  void decorate_member(Id structure, uint32_t member, spv::Decoration decoration, Words operands = {});

  /// An instruction without a result.
  void add(Section section, spv::Op op, Words operands);
  void code(spv::Op op, Words operands = {}) { add(Section::Code, op, operands); }
  /// An instruction with one, in the code.
  Id value(spv::Op op, Id result_type, Words operands);
  Id glsl(GLSLstd450 function, Id result_type, Words operands);
  /// Starts a block.
  void label(Id block);
  Id block() const { return block_; }  ///< the block that instructions go to

  std::vector<uint32_t> words() const;

 private:
  std::vector<uint32_t>& of(Section section) { return sections_[word(section)]; }
  Id declared(std::vector<uint32_t> key, bool is_type);

  std::set<uint32_t> capabilities_;
  std::array<std::vector<uint32_t>, 5> sections_;
  std::vector<uint32_t> entry_point_;
  std::map<std::vector<uint32_t>, Id> declared_;  ///< by opcode and operands
  Id next_ = 1;
  Id glsl_ = 0;
  Id block_ = 0;
};

}  // namespace asb::spirv
