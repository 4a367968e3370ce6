#include "indexer/parse/large_pages.h"

#include <sys/mman.h>

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

// What was given back, for who takes as much.
class Kept {
 public:
  void* take(std::size_t bytes) {
    const MutexLock lock(mutex_);
    for (std::size_t i = pieces_.size(); i-- > 0;) {
      if (pieces_[i].bytes != bytes) continue;
      std::swap(pieces_[i], pieces_.back());
      void* const memory = pieces_.back().memory;
      pieces_.pop_back();
      bytes_ -= bytes;
      return memory;
    }
    return nullptr;
  }
  // False: there is no room for it.
  bool put(const Piece& piece) {
    const MutexLock lock(mutex_);
    if (bytes_ + piece.bytes > most_) return false;
    pieces_.push_back(piece);
    bytes_ += piece.bytes;
    return true;
  }
  std::vector<Piece> keep(std::uint64_t most) {
    const MutexLock lock(mutex_);
    most_ = most;
    bytes_ = 0;
    return std::exchange(pieces_, {});
  }

 private:
  Mutex mutex_;
  std::vector<Piece> pieces_ FROND_GUARDED_BY(mutex_);
  std::uint64_t bytes_ FROND_GUARDED_BY(mutex_) = 0, most_ FROND_GUARDED_BY(mutex_) = 0;
};

Kept& kept() {
  static Kept all;
  return all;
}

// What the system gave, and whether it is pinned.
class Mapped {
 public:
  struct State {
    std::size_t bytes = 0;
    bool was_tried = false;
    std::function<void(void*)> unpin;  // empty: it is not pinned
  };
  void add(void* memory, std::size_t bytes) {
    const MutexLock lock(mutex_);
    pieces_[memory].bytes = bytes;
  }
  State remove(void* memory) {
    const MutexLock lock(mutex_);
    auto piece = pieces_.extract(memory);
    return piece ? std::move(piece.mapped()) : State();
  }
  State* find(const void* memory) {
    const MutexLock lock(mutex_);
    const auto found = pieces_.find(memory);
    return found == pieces_.end() ? nullptr : &found->second;
  }

 private:
  Mutex mutex_;
  // A state belongs to who has the piece.
  std::unordered_map<const void*, State> pieces_ FROND_GUARDED_BY(mutex_);
};

Mapped& mapped() {
  static Mapped all;
  return all;
}

void give_to_system(const Piece& piece) {
  const Mapped::State state = mapped().remove(piece.memory);
  if (state.unpin) state.unpin(piece.memory);
  ::munmap(piece.memory, piece.bytes);
}

}  // namespace

void* take_large_pages(std::size_t bytes) {
  if (void* const memory = kept().take(bytes)) return memory;
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
  mapped().add(begin + before, bytes);
  return begin + before;
}

void give_large_pages(void* memory, std::size_t bytes) {
  if (!kept().put({memory, bytes})) give_to_system({memory, bytes});
}

bool pin_large_pages(const void* memory, const PagePinning& pinning) {
  Mapped::State* const state = mapped().find(memory);
  if (state == nullptr) return false;
  if (!std::exchange(state->was_tried, true) && pinning.pin(const_cast<void*>(memory), state->bytes))
    state->unpin = pinning.unpin;
  return static_cast<bool>(state->unpin);
}

void keep_large_pages(std::uint64_t bytes) {
  for (const Piece& piece : kept().keep(bytes)) give_to_system(piece);
}

}  // namespace frond::indexer::parse
