// Staging goes in pieces of bounded size; a call keeps all its arguments in one buffer, so that one copy in and one
// out is enough.
#include "backends/vulkan/execution.h"

#include <algorithm>
#include <cstring>

#include "abi/kernel.h"

namespace asb::vulkan {
namespace {

constexpr size_t kStagingBytes = 1u << 24;
constexpr size_t kAlignment = 64;  // bytes, of every argument (abi/kernel.h)

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

int64_t Argument::reals(int64_t blocks) const { return per_entity ? blocks * entries * ASB_LANES : entries; }

Result<std::shared_ptr<Execution>> Execution::create(std::shared_ptr<Device> device, ExecutionOptions options) {
  Result<std::unique_ptr<Commands>> commands = Commands::create(device);
  if (!commands) return fail(commands.error());
  return std::shared_ptr<Execution>(new Execution(std::move(device), std::move(*commands), options));
}

Result<void> Execution::grow(Memory& memory, size_t bytes, Place place) {
  if (memory.bytes >= bytes) return {};
  memory = {};  // first, so that both never exist at once
  Result<Memory> larger = allocate(device_, bytes, place, !options_.always_stage);
  if (!larger) return fail(larger.error());
  memory = std::move(*larger);
  return {};
}

Result<Memory> Execution::allocate_cleared(size_t bytes) {
  Result<Memory> memory = allocate(device_, bytes, Place::Device, !options_.always_stage);
  if (!memory) return memory;
  const std::lock_guard lock(mutex_);
  if (const Result<void> cleared = commands_->run([&] { commands_->clear(*memory); }); !cleared)
    return fail(cleared.error());
  return memory;
}

Result<void> Execution::upload(std::span<const double> from, const Memory& to, size_t byte) {
  const auto* source = reinterpret_cast<const std::byte*>(from.data());
  if (to.mapped) {
    std::memcpy(to.mapped + byte, source, from.size_bytes());
    return {};
  }
  const std::lock_guard lock(mutex_);
  if (const Result<void> grown = grow(staging_, std::min(from.size_bytes(), kStagingBytes), Place::Host); !grown)
    return grown;
  for (size_t done = 0; done < from.size_bytes();) {
    const size_t count = std::min(from.size_bytes() - done, staging_.bytes);
    std::memcpy(staging_.mapped, source + done, count);
    if (const Result<void> r = commands_->run([&] { commands_->copy(staging_, 0, to, byte + done, count); }); !r) return r;
    done += count;
  }
  return {};
}

Result<void> Execution::download(const Memory& from, std::span<double> to, size_t byte) {
  auto* target = reinterpret_cast<std::byte*>(to.data());
  if (from.mapped) {
    std::memcpy(target, from.mapped + byte, to.size_bytes());
    return {};
  }
  const std::lock_guard lock(mutex_);
  if (const Result<void> grown = grow(staging_, std::min(to.size_bytes(), kStagingBytes), Place::Host); !grown)
    return grown;
  for (size_t done = 0; done < to.size_bytes();) {
    const size_t count = std::min(to.size_bytes() - done, staging_.bytes);
    if (const Result<void> r = commands_->run([&] { commands_->copy(from, byte + done, staging_, 0, count); }); !r) return r;
    std::memcpy(target + done, staging_.mapped, count);
    done += count;
  }
  return {};
}

Result<void> Execution::write_table(std::span<const VkDeviceAddress> addresses) {
  if (const Result<void> grown = grow(table_, addresses.size_bytes(), Place::Host); !grown) return grown;
  std::memcpy(table_.mapped, addresses.data(), addresses.size_bytes());
  return {};
}

Result<void> Execution::launch(const Program& program, std::span<const VkDeviceAddress> arguments, int64_t first,
                               int64_t last) {
  const std::lock_guard lock(mutex_);
  if (const Result<void> table = write_table(arguments); !table) return table;
  return commands_->run([&] { commands_->dispatch(program.pipeline.get(), table_.address, first, last); });
}

/// Inputs, then outputs, each at a multiple of kAlignment.
struct Execution::Piece {
  std::vector<size_t> offsets;   ///< [bytes]
  size_t outputs_begin = 0, end = 0;

  Piece(const Program& program, int64_t blocks) {
    for (const Argument& input : program.inputs) add(input, blocks);
    outputs_begin = end;
    for (const Argument& output : program.outputs) add(output, blocks);
  }

 private:
  void add(const Argument& argument, int64_t blocks) {
    offsets.push_back(end);
    end += aligned(static_cast<size_t>(argument.reals(blocks)) * sizeof(double));
  }
};

Result<void> Execution::call(const Program& program, const double* const* inputs, double* const* outputs, int64_t first,
                             int64_t last) {
  const size_t once = Piece(program, 0).end;
  const size_t each = std::max<size_t>(1, Piece(program, 1).end - once);
  const size_t room = options_.host_call_bytes > once ? options_.host_call_bytes - once : 0;
  const int64_t step = std::max<int64_t>(1, static_cast<int64_t>(room / each));
  const std::lock_guard lock(mutex_);
  for (int64_t begin = first; begin < last; begin += step)
    if (const Result<void> r = call_piece(program, inputs, outputs, begin, std::min(last, begin + step)); !r) return r;
  return {};
}

Result<void> Execution::call_piece(const Program& program, const double* const* inputs, double* const* outputs,
                                   int64_t first, int64_t last) {
  const int64_t blocks = last - first;
  const Piece piece(program, blocks);
  if (const Result<void> grown = grow(arena_, piece.end, Place::Device); !grown) return grown;
  if (!arena_.mapped)
    if (const Result<void> grown = grow(staging_, piece.end, Place::Host); !grown) return grown;
  std::byte* const host = arena_.mapped ? arena_.mapped : staging_.mapped;

  std::vector<VkDeviceAddress> addresses;
  for (size_t offset : piece.offsets) addresses.push_back(arena_.address + offset);
  if (const Result<void> table = write_table(addresses); !table) return table;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Argument& input = program.inputs[i];
    const double* from = inputs[i] + (input.per_entity ? input.reals(first) : 0);
    std::memcpy(host + piece.offsets[i], from, static_cast<size_t>(input.reals(blocks)) * sizeof(double));
  }
  const Result<void> done = commands_->run([&] {
    if (!arena_.mapped) {
      commands_->copy(staging_, 0, arena_, 0, piece.outputs_begin);
      commands_->barrier();
    }
    commands_->dispatch(program.pipeline.get(), table_.address, 0, blocks);
    if (!arena_.mapped) {
      commands_->barrier();
      commands_->copy(arena_, piece.outputs_begin, staging_, piece.outputs_begin, piece.end - piece.outputs_begin);
    }
  });
  if (!done) return done;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const Argument& output = program.outputs[i];
    std::memcpy(outputs[i] + output.reals(first), host + piece.offsets[program.inputs.size() + i],
                static_cast<size_t>(output.reals(blocks)) * sizeof(double));
  }
  return {};
}

}  // namespace asb::vulkan
