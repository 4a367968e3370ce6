#include "indexer/parse/large_pages.h"

#include <sys/mman.h>

#include <new>
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

}  // namespace

void* take_large_pages(std::size_t bytes) {
  if (void* const memory = kept().take(bytes)) return memory;
  // Older systems do not begin mappings at large pages.
  void* const memory =
      ::mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(memory);
  const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(begin) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(begin, before);
  if (before < kLargePage) ::munmap(begin + before + bytes, kLargePage - before);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // a hint
  return begin + before;
}

void give_large_pages(void* memory, std::size_t bytes) {
  if (!kept().put({memory, bytes})) ::munmap(memory, bytes);
}

void keep_large_pages(std::uint64_t bytes) {
  for (const Piece& piece : kept().keep(bytes)) ::munmap(piece.memory, piece.bytes);
}

}  // namespace frond::indexer::parse
