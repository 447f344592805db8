// The SSA is written as bytes: counts before lists, so that two functions never read alike. Source places are left out.
#include "backends/llvm/cache_key.h"

#include <cstring>
#include <type_traits>

#include "backends/llvm/emitter_version.h"  // made by the build: kEmitterVersion
#include "backends/llvm/object_cache.h"

namespace asb::llvm_backend {
namespace {

class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void number(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text_.append(bytes, sizeof value);
  }
  void words(const std::string& value) {
    number(value.size());
    text_ += value;
  }
  void type(const ir::Type& type) {
    number(static_cast<uint8_t>(type.kind));
    number(type.rank);
    for (int i = 0; i < type.rank; ++i) number(type.dims[i]);
  }
  void function(const ir::Function& function) {
    words(function.name);
    number(function.inputs.size());
    for (const ir::Input& input : function.inputs) {
      type(input.type);
      number(input.per_entity());
    }
    number(function.insts.size());
    for (const ir::Inst& inst : function.insts) {
      number(static_cast<uint8_t>(inst.op));
      type(inst.type);
      number(inst.args.size());
      for (ir::ValueId arg : inst.args) number(arg.index);
      number(inst.number);
      number(inst.index);
      number(inst.extra);
    }
    number(function.outputs.size());
    for (const ir::Output& output : function.outputs) {
      number(output.values.size());
      for (ir::ValueId value : output.values) number(value.index);
    }
    number(function.bodies.size());
    for (const ir::Function& body : function.bodies) this->function(body);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string cache_key(const ir::Function& function, const std::string& target) {
  Writer writer;
  writer.words(kEmitterVersion);
  writer.words(target);
  writer.function(function);
  return sha256(writer.text());
}

}  // namespace asb::llvm_backend
