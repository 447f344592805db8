// Encoding: an instruction is its word count in the high half of a word, its opcode in the low one, then its operands.
#include "backends/spirv/module.h"

#include <bit>

namespace asb::spirv {
namespace {

constexpr uint32_t kVersion = 0x00010500;  // 1.5
constexpr uint32_t kGenerator = 0;         // none registered

template <class Operands>
void encode(std::vector<uint32_t>& to, spv::Op op, const Operands& operands) {
  to.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | word(op));
  to.insert(to.end(), operands.begin(), operands.end());
}

/// UTF-8, ended by a zero byte, filled up with zeros; first byte lowest.
void append_text(std::vector<uint32_t>& to, std::string_view text) {
  const size_t start = to.size();
  to.resize(start + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    to[start + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << 8 * (i % 4);
}

}  // namespace

Module::Module() {
  require(spv::Capability::Shader);
  glsl_ = fresh();
}

Id Module::declared(std::vector<uint32_t> key, bool is_type) {
  const auto [place, is_new] = declared_.try_emplace(std::move(key), 0);
  if (!is_new) return place->second;
  const Id id = place->second = fresh();
  // A type's result stands first, a constant's behind its type.
  std::vector<uint32_t> operands(place->first.begin() + 1, place->first.end());
  operands.insert(operands.begin() + (is_type ? 0 : 1), id);
  encode(of(Section::Globals), static_cast<spv::Op>(place->first[0]), operands);
  return id;
}

Id Module::type(spv::Op op, Words operands) {
  std::vector<uint32_t> key = {word(op)};
  key.insert(key.end(), operands);
  return declared(std::move(key), true);
}

Id Module::type_real() {
  require(spv::Capability::Float64);
  return type(spv::Op::OpTypeFloat, {64});
}

Id Module::constant_real(double number) {
  const uint64_t bits = std::bit_cast<uint64_t>(number);
  return declared({word(spv::Op::OpConstant), type_real(), static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)},
                  false);
}

Id Module::constant_uint(uint32_t number) {
  return declared({word(spv::Op::OpConstant), type_uint(), number}, false);
}

Id Module::constant_bool(bool value) {
  return declared({word(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse), type_bool()}, false);
}

Id Module::new_structure(std::span<const Id> members) {
  const Id id = fresh();
  std::vector<uint32_t> operands = {id};
  operands.insert(operands.end(), members.begin(), members.end());
  encode(of(Section::Globals), spv::Op::OpTypeStruct, operands);
  return id;
}

void Module::entry_point(Id function, std::string_view name, Words interface) {
  std::vector<uint32_t> operands = {word(spv::ExecutionModel::GLCompute), function};
  append_text(operands, name);
  operands.insert(operands.end(), interface);
  encode(entry_point_, spv::Op::OpEntryPoint, operands);
}

void Module::name(Id target, std::string_view text) {
  std::vector<uint32_t> operands = {target};
  append_text(operands, text);
  encode(of(Section::Names), spv::Op::OpName, operands);
}

void Module::member_name(Id structure, uint32_t member, std::string_view text) {
  std::vector<uint32_t> operands = {structure, member};
  append_text(operands, text);
  encode(of(Section::Names), spv::Op::OpMemberName, operands);
}

void Module::decorate(Id target, spv::Decoration decoration, Words more) {
  std::vector<uint32_t> operands = {target, word(decoration)};
  operands.insert(operands.end(), more);
  encode(of(Section::Decorations), spv::Op::OpDecorate, operands);
}

void Module::decorate_member(Id structure, uint32_t member, spv::Decoration decoration, Words more) {
  std::vector<uint32_t> operands = {structure, member, word(decoration)};
  operands.insert(operands.end(), more);
  encode(of(Section::Decorations), spv::Op::OpMemberDecorate, operands);
}

void Module::add(Section section, spv::Op op, Words operands) { encode(of(section), op, operands); }

Id Module::value(spv::Op op, Id result_type, Words operands) {
  const Id id = fresh();
  std::vector<uint32_t>& code = of(Section::Code);
  code.push_back(static_cast<uint32_t>(operands.size() + 3) << 16 | word(op));
  code.push_back(result_type);
  code.push_back(id);
  code.insert(code.end(), operands);
  return id;
}

Id Module::glsl(GLSLstd450 function, Id result_type, Words operands) {
  const Id id = fresh();
  std::vector<uint32_t> all = {result_type, id, glsl_, static_cast<uint32_t>(function)};
  all.insert(all.end(), operands);
  encode(of(Section::Code), spv::Op::OpExtInst, all);
  return id;
}

void Module::label(Id block) {
  code(spv::Op::OpLabel, {block});
  block_ = block;
}

std::vector<uint32_t> Module::words() const {
  std::vector<uint32_t> result = {spv::MagicNumber, kVersion, kGenerator, next_, 0};
  for (uint32_t capability : capabilities_) encode(result, spv::Op::OpCapability, std::vector{capability});
  std::vector<uint32_t> import = {glsl_};
  append_text(import, "GLSL.std.450");
  encode(result, spv::Op::OpExtInstImport, import);
  encode(result, spv::Op::OpMemoryModel,
         std::vector{word(spv::AddressingModel::PhysicalStorageBuffer64), word(spv::MemoryModel::GLSL450)});
  result.insert(result.end(), entry_point_.begin(), entry_point_.end());
  for (const std::vector<uint32_t>& section : sections_) result.insert(result.end(), section.begin(), section.end());
  return result;
}

}  // namespace asb::spirv
