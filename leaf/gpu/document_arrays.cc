#include "leaf/gpu/document_arrays.h"

#include <span>
#include <utility>

namespace frond::leaf::gpu {

// Kernels read the words as two of 32 bits, the lower half first.
DocumentArrays::Source DocumentArrays::hidden_of(const engine::Plan& plan) {
  const auto& words = plan.hidden->words();
  return {words, std::as_bytes(std::span(*words)), plan.partition};
}

DocumentArrays::Found DocumentArrays::find(const Owner& owner) const {
  const MutexLock lock(mutex_);
  const auto at = entries_.find(owner.get());
  if (at == entries_.end() || at->second.owner.expired()) return {};
  return {at->second.array ? State::kThere : State::kDoesNotFit, at->second.array};
}

void DocumentArrays::insert(const Source& source, std::shared_ptr<std::byte> memory) {
  std::shared_ptr<ResidentArray> array;
  if (memory != nullptr) {
    array = std::make_shared<ResidentArray>();
    array->words = reinterpret_cast<const std::uint32_t*>(memory.get());
    array->memory = std::move(memory);
  }
  const MutexLock lock(mutex_);
  if (array) array->number = ++last_number_;
  entries_[source.owner.get()] = {source.owner, source.partition, std::move(array)};
}

void DocumentArrays::drop_unused() {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [](const auto& entry) { return entry.second.owner.expired(); });
}

void DocumentArrays::forget(std::uint64_t partition) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [partition](const auto& entry) {
    return entry.second.partition == partition || entry.second.array == nullptr;
  });
}

}  // namespace frond::leaf::gpu
