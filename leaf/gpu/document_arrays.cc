#include "leaf/gpu/document_arrays.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {

std::size_t DocumentArrays::Source::bytes() const {
  std::size_t sum = codes ? codes->bytes() : 0;
  for (const ByteView part : parts) sum += part.size();
  return sum;
}

std::vector<DocumentArrays::Source> DocumentArrays::sources_of(const engine::Plan& plan) {
  std::vector<Source> sources;
  if (plan.hidden != nullptr) {
    const auto& words = plan.hidden->words();  // kernels read each as two of 32 bits, the lower half first
    sources.push_back({words, {std::as_bytes(std::span(*words))}, plan.partition, {}});
  }
  if (engine::adds_priors(plan)) {
    const auto& arrays = plan.priors->arrays();
    sources.push_back({arrays,
                       {std::as_bytes(std::span(arrays->priors)), std::as_bytes(std::span(arrays->maxima)),
                        std::as_bytes(std::span(arrays->regions))},
                       plan.partition,
                       arrays->priors});
  }
  for (const auto& codes : engine::codes_of(plan)) sources.push_back({codes->owner(), {}, plan.partition, {}, codes});
  if (plan.phrase) sources.back().sequences = true;
  return sources;
}

DocumentArrays::Found DocumentArrays::find(const Owner& owner) const {
  const MutexLock lock(mutex_);
  const auto at = entries_.find(owner.get());
  if (at == entries_.end() || at->second.owner.expired()) return {};
  return {at->second.array ? State::kThere : State::kDoesNotFit, at->second.array};
}

std::uint64_t DocumentArrays::returns() const {
  const MutexLock lock(mutex_);
  return returns_;
}

void DocumentArrays::insert(const Source& source, std::shared_ptr<std::byte> memory, std::uint64_t asked) {
  std::shared_ptr<ResidentArray> array;
  if (memory != nullptr) {
    array = std::make_shared<ResidentArray>();
    array->words = reinterpret_cast<const std::uint32_t*>(memory.get());
    array->memory = std::move(memory);
    array->holder = this;
    array->highest.resize(std::min<std::size_t>(source.priors.size(), kMaxHits));
    std::partial_sort_copy(source.priors.begin(), source.priors.end(), array->highest.begin(), array->highest.end(),
                           std::greater<>());
  }
  const MutexLock lock(mutex_);
  if (!array && asked != returns_) return;  // there may be room now
  if (array) array->number = ++last_number_;
  const std::size_t code_bytes = array && source.codes ? source.bytes() : 0;
  entries_[source.owner.get()] = {source.owner, source.partition, std::move(array), code_bytes, source.sequences};
}

std::size_t DocumentArrays::code_bytes(bool sequences) const {
  const MutexLock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [owner, entry] : entries_) sum += entry.sequences == sequences ? entry.code_bytes : 0;
  return sum;
}

void DocumentArrays::drop_unused() {
  const MutexLock lock(mutex_);
  bool returned = false;
  std::erase_if(entries_, [&returned](const auto& entry) {
    const bool unused = entry.second.owner.expired();
    returned = returned || (unused && entry.second.code_bytes > 0);
    return unused;
  });
  if (returned) forget_refusals();
}

void DocumentArrays::forget(std::uint64_t partition) {
  const MutexLock lock(mutex_);
  std::erase_if(entries_, [partition](const auto& entry) { return entry.second.partition == partition; });
  forget_refusals();
}

void DocumentArrays::forget_refusals() {
  ++returns_;
  std::erase_if(entries_, [](const auto& entry) { return entry.second.array == nullptr; });
}

}  // namespace frond::leaf::gpu
