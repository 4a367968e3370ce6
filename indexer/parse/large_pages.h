#pragma once
// Memory for large pieces that are filled at once: in large pages, where the system has them, so that a thread does not
// stop at every 4 KiB for the system to find a page.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace frond::indexer::parse {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Smaller pieces come from the allocator of all others.
inline constexpr std::size_t kLargePiece = std::size_t{1} << 20;

// What a piece takes once a byte of each page was touched.
inline constexpr std::size_t in_large_pages(std::size_t bytes) {
  return bytes < kLargePiece ? bytes : (bytes + kLargePage - 1) / kLargePage * kLargePage;
}

// Begins at a large page. Throws std::bad_alloc. bytes: as in_large_pages() gives it.
inline void* take_large_pages(std::size_t bytes) {
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
      ::munmap(memory, in_large_pages(bytes));
  }
  bool operator==(const LargePageAllocator&) const { return true; }
};

}  // namespace frond::indexer::parse
