#include "leaf/gpu/plain_lists.h"

#include <utility>

namespace frond::leaf::gpu {

std::shared_ptr<const ResidentPlain> PlainLists::find(const ResidentList& list, std::uint64_t documents, bool& wanted) {
  // A list with a mark a document needs no look-ups (search/warp_unranked.cuh).
  if (options_.bytes == 0 || list.list.marks_shift == 0) return nullptr;
  if (auto form = list.plain.load(std::memory_order_acquire).lock()) {
    form->mark_used();
    used_.fetch_add(1, std::memory_order_relaxed);
    return form;
  }
  const auto enough = static_cast<std::uint64_t>(options_.pays * static_cast<double>(list.list.count)) + 1;
  const std::uint64_t before = list.looked_up.fetch_add(documents, std::memory_order_relaxed);
  if (before + documents < enough || before >= enough) return nullptr;
  list.looked_up.store(0, std::memory_order_relaxed);  // so it is wanted again, should it not be made now
  wanted = true;
  return nullptr;
}

Result<void> PlainLists::make(const ResidentList& list, ListCopier& copier) {
  const PlainForm form(list.list, list.documents);
  {
    const MutexLock lock(mutex_);
    if (auto kept = std::static_pointer_cast<const ResidentPlain>(kept_.find(list.key))) {
      list.plain.store(kept, std::memory_order_release);  // the list was evicted and copied again
      return {};
    }
    if (!kept_.admits(list.key, form.bytes())) return {};
  }
  std::byte* piece = nullptr;
  while ((piece = arena_.allocate(form.bytes())) == nullptr)
    if (!evict_unused()) return {};
  std::shared_ptr<std::byte> memory(piece, [arena = &arena_](const std::byte* used) { arena->release(used); });
  auto made = std::make_shared<ResidentPlain>();
  made->memory = std::move(memory);
  made->view = form.at(piece);
  FROND_TRY(copier.make_plain_form(list.list, made->view));
  const MutexLock lock(mutex_);
  list.plain.store(made, std::memory_order_release);
  kept_.insert(list.key, std::move(made), form.bytes());
  ++made_;
  return {};
}

bool PlainLists::evict_unused() {
  const MutexLock lock(mutex_);
  return kept_.evict_unused();
}

void PlainLists::forget(std::uint64_t partition) {
  lists::KeptLists::Taken gone;  // freed after the lock
  const MutexLock lock(mutex_);
  gone = kept_.take_partition(partition);
}

PlainLists::Counters PlainLists::counters() const {
  const MutexLock lock(mutex_);
  return {made_, used_.load(std::memory_order_relaxed), kept_.bytes(), kept_.entries()};
}

}  // namespace frond::leaf::gpu
