#pragma once
// Memory for large pieces that are filled at once: in large pages, where the system has them, so that a thread does not
// stop at every 4 KiB for the system to find a page.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

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

// As long as it lives, so much of what is given back is kept for others that take as much; otherwise nothing is. The
// system clears pages before it gives them, and stops other threads of the process when it takes them.
class RetainedLargePages {
 public:
  explicit RetainedLargePages(std::uint64_t bytes);
  ~RetainedLargePages();
  RetainedLargePages(const RetainedLargePages&) = delete;
  RetainedLargePages& operator=(const RetainedLargePages&) = delete;
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

// An array of zeros that takes memory only where it is touched: the tables of a parser are large, and many builds are
// small. Large arrays ask for large pages, since tables are read at random.

// Elements start as all zero bytes. Move-only. The constructor throws std::bad_alloc if there is no memory.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroedArray(std::size_t size) : size_(size) {
    void* const memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (bytes() >= kLarge) ::madvise(memory, bytes(), MADV_HUGEPAGE);  // a hint
    data_ = static_cast<T*>(memory);
  }
  ~ZeroedArray() {
    if (data_ != nullptr) ::munmap(data_, bytes());
  }
  ZeroedArray(ZeroedArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  const T* begin() const { return data_; }
  T* end() { return data_ + size_; }

 private:
  static constexpr std::size_t kLarge = std::size_t{4} << 20;
  std::size_t bytes() const { return size_ * sizeof(T); }
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace frond::indexer::parse
