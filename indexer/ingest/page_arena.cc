#include "indexer/ingest/page_arena.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <new>

namespace frond::indexer::ingest {

namespace {

// Blocks of small arenas come from the allocator's heap, those of large ones from the system and go straight back to
// it.
std::size_t block_bytes_for(std::size_t limit) { return limit < (16 << 20) ? 256 << 10 : 1 << 20; }

std::uint64_t thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

PageArena::PageArena(std::size_t limit, const std::stop_token* stop)
    : limit_(limit),
      block_bytes_(block_bytes_for(limit)),
      stop_(stop),
      deadline_ns_(thread_ns() + kMaxSeconds * 1'000'000'000) {
  blocks_.reserve(limit / block_bytes_ + 1);
}

PageArena::~PageArena() {
  for (Large* large = large_.after; large != &large_;) {
    Large* const after = large->after;
    delete[] reinterpret_cast<std::byte*>(large);
    large = after;
  }
}

// Multiples of kUnit; above kSmallBytes, of a quarter of the power of two below.
std::size_t PageArena::rounded(std::size_t size) {
  size = std::max(size, kUnit);
  const std::size_t unit = size <= kSmallBytes ? kUnit : std::bit_floor(size - 1) / 4;
  return (size + unit - 1) / unit * unit;
}

// The class of a size that rounded() gives, up to kLargeBytes.
std::size_t PageArena::class_of(std::size_t bytes) {
  if (bytes <= kSmallBytes) return bytes / kUnit;
  const std::size_t below = std::bit_floor(bytes - 1);
  const auto doublings = static_cast<std::size_t>(std::countr_zero(below / kSmallBytes));
  return kSmallBytes / kUnit + 4 * doublings + (bytes - below) / (below / 4);
}

void PageArena::refuse(Refusal why) {
  refusal_ = why;
  std::longjmp(exhausted_, 1);
}

void PageArena::check_time() {
  unchecked_ = 0;
  if (stop_ && stop_->stop_requested()) refuse(Refusal::kStopped);
  if (thread_ns() > deadline_ns_) refuse(Refusal::kTime);
}

void* PageArena::take(std::size_t size) {
  if (size > limit_) refuse(Refusal::kMemory);
  if (++unchecked_ == kTakesUnchecked) check_time();
  const std::size_t bytes = rounded(size);
  if (bytes > kLargeBytes) return take_large(bytes);
  Free*& free = free_[class_of(bytes)];
  if (free) {
    void* const piece = free;
    free = free->next;
    return piece;
  }
  if (sizeof(Header) + bytes > left_) {
    at_ = new_block(block_bytes_);
    left_ = block_bytes_;
    blocks_.emplace_back(at_);  // within what is reserved
  }
  auto* const header = new (at_) Header{bytes};
  at_ += sizeof(Header) + bytes;
  left_ -= sizeof(Header) + bytes;
  return header + 1;
}

void* PageArena::take_large(std::size_t bytes) {
  std::byte* const block = new_block(sizeof(Large) + bytes);
  auto* const large = new (block) Large{&large_, large_.after, {bytes}};
  large_.after->before = large;
  large_.after = large;
  return large + 1;
}

void PageArena::give_back(void* piece) {
  const std::size_t bytes = (static_cast<Header*>(piece) - 1)->bytes;
  if (bytes <= kLargeBytes) {
    Free*& free = free_[class_of(bytes)];
    free = new (piece) Free{free};
    return;
  }
  Large* const large = static_cast<Large*>(piece) - 1;
  large->before->after = large->after;
  large->after->before = large->before;
  used_ -= sizeof(Large) + bytes;
  delete[] reinterpret_cast<std::byte*>(large);
}

// Jumps if the limit does not allow it.
std::byte* PageArena::new_block(std::size_t bytes) {
  if (bytes > limit_ - std::min(limit_, used_)) refuse(Refusal::kMemory);
  auto* const block = new (std::nothrow) std::byte[bytes];
  if (!block) refuse(Refusal::kMemory);  // an exception could not pass through gumbo
  used_ += bytes;
  return block;
}

}  // namespace frond::indexer::ingest
