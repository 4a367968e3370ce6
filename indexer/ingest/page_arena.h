#pragma once
// The memory of gumbo, the HTML parser. Pieces are freed together; single pieces that gumbo frees are used again for
// others of their size. gumbo cannot handle a failed allocation, and frees its tree by recursion: so allocate() jumps
// out of the parse when a limit is reached, and the arena frees the tree. The parser allocates at every tag, so this is
// also where its time is limited.
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

namespace frond::indexer::ingest {

// One thread.
class PageArena {
 public:
  static constexpr std::size_t kMinBytes = 512 << 10;
  // Of the thread's own time, so that a busy machine refuses no page. Cleaned pages take less by far: cleaned_html().
  static constexpr std::uint64_t kMaxSeconds = 20;
  enum class Refusal : int { kNone, kMemory, kTime, kStopped };
  // Holds at most `limit` bytes, kMinBytes or more. `stop` may be null.
  explicit PageArena(std::size_t limit, const std::stop_token* stop = nullptr);
  ~PageArena();
  PageArena(const PageArena&) = delete;
  PageArena& operator=(const PageArena&) = delete;

  // allocate() jumps here, with 1, when a limit is reached. The caller fills it by setjmp().
  std::jmp_buf& exhausted() { return exhausted_; }
  // gumbo's allocator and deallocator; `arena` is the PageArena. Pieces are aligned to 8 bytes.
  static void* allocate(void* arena, std::size_t size) { return static_cast<PageArena*>(arena)->take(size); }
  static void release(void* arena, void* piece) {
    if (piece) static_cast<PageArena*>(arena)->give_back(piece);
  }
  std::size_t bytes() const { return used_; }
  // Why allocate() jumped.
  Refusal refusal() const { return refusal_; }

 private:
  // Stands before each piece: its size. A tree has millions of pieces, most of less than 200 bytes, so sizes are not
  // rounded to powers of two.
  struct Header {
    std::size_t bytes;
  };
  struct Free {
    Free* next;
  };
  // A piece with a block of its own, in a list so that it can be freed with the others.
  struct Large {
    Large *before, *after;
    Header header;  // last
  };
  static constexpr std::size_t kUnit = 8, kSmallBytes = 1024, kLargeBytes = 64 << 10;
  static constexpr std::size_t kClasses = kSmallBytes / kUnit + 4 * 6 + 1;  // four a doubling up to kLargeBytes

  static std::size_t rounded(std::size_t size);
  static std::size_t class_of(std::size_t bytes);
  void* take(std::size_t size);
  void* take_large(std::size_t bytes);
  void give_back(void* piece);
  std::byte* new_block(std::size_t bytes);
  [[noreturn]] void refuse(Refusal why);
  void check_time();

  const std::size_t limit_, block_bytes_;
  std::size_t used_ = 0, left_ = 0;
  std::byte* at_ = nullptr;
  std::array<Free*, kClasses> free_{};
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  Large large_{&large_, &large_, {0}};  // the list's ends
  const std::stop_token* stop_;
  static constexpr std::uint32_t kTakesUnchecked = 1024;
  std::uint32_t unchecked_ = 0;
  std::uint64_t deadline_ns_;
  Refusal refusal_ = Refusal::kNone;
  std::jmp_buf exhausted_;
};

}  // namespace frond::indexer::ingest
