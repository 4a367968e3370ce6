#pragma once
// Memory for large pieces that are filled at once: in large pages, where the system has them, so that a thread does not
// stop at every 4 KiB for the system to find a page.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace frond::indexer::parse {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Smaller pieces come from the allocator of all others.
inline constexpr std::size_t kLargePiece = std::size_t{1} << 20;

// What a piece takes once a byte of each page was touched.
inline constexpr std::size_t in_large_pages(std::size_t bytes) {
  return bytes < kLargePiece ? bytes : (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

// Begins at a large page. Any thread. Throws std::bad_alloc. bytes: as in_large_pages() gives it, and the same for
// both.
void* take_large_pages(std::size_t bytes);
void give_large_pages(void* memory, std::size_t bytes);

// How memory is pinned, so that a device copies from it at full speed.
struct PagePinning {
  std::function<bool(void* memory, std::size_t bytes)> pin;  // false: it could not
  std::function<void(void* memory)> unpin;
};
// Whether the large piece that begins at `memory` is pinned; if it was never tried, it is tried now. A piece stays
// pinned, also while it is kept for others, until the system gets it. False for other memory. Only the thread that uses
// the piece calls it.
bool pin_large_pages(const void* memory, const PagePinning& pinning);

// How much of what is given back is kept for others that take as much; at first nothing. The system clears pages before
// it gives them, and stops other threads of the process when it takes them. Frees what is kept now.
void keep_large_pages(std::uint64_t bytes);

// Keeps so much as long as it lives.
class LargePagesKept {
 public:
  explicit LargePagesKept(std::uint64_t bytes) { keep_large_pages(bytes); }
  ~LargePagesKept() { keep_large_pages(0); }
  LargePagesKept(const LargePagesKept&) = delete;
  LargePagesKept& operator=(const LargePagesKept&) = delete;
};

// For standard containers.
template <class T>
struct LargePageAllocator {
  using value_type = T;
  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor): containers convert them
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargePiece) return std::allocator<T>().allocate(count);
    return static_cast<T*>(take_large_pages(in_large_pages(bytes)));
  }
  void deallocate(T* memory, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargePiece)
      std::allocator<T>().deallocate(memory, count);
    else
      give_large_pages(memory, in_large_pages(bytes));
  }
  bool operator==(const LargePageAllocator&) const { return true; }
};

}  // namespace frond::indexer::parse
