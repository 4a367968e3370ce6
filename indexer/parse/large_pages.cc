#include "indexer/parse/large_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/mutex.h"

namespace frond::indexer::parse {
namespace {

struct Piece {
  void* memory;
  std::size_t bytes;
};
struct State {
  bool was_tried = false;
  std::function<void(void*)> unpin;  // empty: it is not pinned
  std::size_t bytes = 0;
};

// Whose state belongs to who has the piece, or is about to give it to the system.
class Pieces {
 public:
  void add(const Piece& piece) {
    const MutexLock lock(mutex_);
    mapped_[piece.memory].bytes = piece.bytes;
  }
  State* find(const void* memory) {
    const MutexLock lock(mutex_);
    const auto found = mapped_.find(memory);
    return found == mapped_.end() ? nullptr : &found->second;
  }
  void give_to_system(const Piece& piece) {
    State* const state = find(piece.memory);
    if (state->unpin) state->unpin(piece.memory);
    {
      const MutexLock lock(mutex_);
      mapped_.erase(piece.memory);
    }
    ::munmap(piece.memory, piece.bytes);
  }
  // What was kept last of so many bytes; null: nothing.
  void* take_kept(std::size_t bytes) {
    const MutexLock lock(mutex_);
    const auto found =
        std::find_if(kept_.rbegin(), kept_.rend(), [&](const Piece& piece) { return piece.bytes == bytes; });
    if (found == kept_.rend()) return nullptr;
    std::swap(*found, kept_.back());
    void* const memory = kept_.back().memory;
    kept_.pop_back();
    kept_bytes_ -= bytes;
    return memory;
  }
  // False: there is no room for it.
  bool keep(const Piece& piece) {
    const MutexLock lock(mutex_);
    if (kept_bytes_ + piece.bytes > most_kept_) return false;
    kept_.push_back(piece);
    kept_bytes_ += piece.bytes;
    return true;
  }
  // Keeps at most so much from now on. Gives what was kept.
  std::vector<Piece> keep_at_most(std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    most_kept_ = bytes;
    kept_bytes_ = 0;
    return std::exchange(kept_, {});
  }

 private:
  Mutex mutex_;
  std::unordered_map<const void*, State> mapped_ FROND_GUARDED_BY(mutex_);  // all that the system gave
  std::vector<Piece> kept_ FROND_GUARDED_BY(mutex_);                        // of them, what was given back
  std::uint64_t kept_bytes_ FROND_GUARDED_BY(mutex_) = 0, most_kept_ FROND_GUARDED_BY(mutex_) = 0;
};

Pieces& pieces() {
  static Pieces all;
  return all;
}

}  // namespace

void* take_large_pages(std::size_t bytes) {
  if (void* const memory = pieces().take_kept(bytes)) return memory;
  // Older systems do not begin mappings at large pages.
  void* const memory =
      ::mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // The system's value. NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(memory);
  const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(begin, before);
  if (before < kLargePage) ::munmap(begin + before + bytes, kLargePage - before);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // a hint
  pieces().add({begin + before, bytes});
  return begin + before;
}

void give_large_pages(void* memory, std::size_t bytes) {
  if (!pieces().keep({memory, bytes})) pieces().give_to_system({memory, bytes});
}

bool pin_large_pages(const void* memory, const PagePinning& pinning) {
  State* const state = pieces().find(memory);
  if (state == nullptr) return false;
  if (!std::exchange(state->was_tried, true) && pinning.pin(const_cast<void*>(memory), state->bytes))
    state->unpin = pinning.unpin;
  return static_cast<bool>(state->unpin);
}

RetainedLargePages::RetainedLargePages(std::uint64_t bytes) {
  for (const Piece& piece : pieces().keep_at_most(bytes)) pieces().give_to_system(piece);
}
RetainedLargePages::~RetainedLargePages() {
  for (const Piece& piece : pieces().keep_at_most(0)) pieces().give_to_system(piece);
}

}  // namespace frond::indexer::parse
