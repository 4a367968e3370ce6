#pragma once
// Threads that stay, for work on many items that comes often: beginning and ending a thread makes all others of the
// process wait, since it changes the process's memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common/base/threads/parallel.h"

namespace frond::indexer::invert::gpu {

// One thread calls.
class Crew {
 public:
  // With the caller's; the others are called "texts-i". At least 1.
  explicit Crew(std::uint32_t threads) : size_(std::max(1u, threads)), pool_("texts", std::max(1u, size_ - 1)) {}

  // How many threads are worth it for `count` items, of which each should have at least `least`.
  std::uint32_t parts_of(std::size_t count, std::size_t least) const { return at_most(count, least, size_); }
  // The same for more and smaller parts: where the system has other work for some threads, the rest of the crew takes
  // their share.
  std::uint32_t small_parts_of(std::size_t count, std::size_t least) const {
    return at_most(count, least, kSmallParts * size_);
  }
  std::uint32_t size() const { return size_; }
  // Calls work(part, begin, end) for consecutive parts [begin, end) of `count` items, by several threads. What a part
  // throws is thrown here as a std::runtime_error, when those that were begun have ended.
  template <class Work>
  void in_parts(std::size_t count, std::uint32_t parts, Work&& work) {
    by_threads(count, parts, [&work](std::uint32_t, std::uint32_t part, std::size_t begin, std::size_t end) {
      work(part, begin, end);
    });
  }
  // Calls work(thread, part, begin, end). thread: less than size(), a part at a time.
  template <class Work>
  void by_threads(std::size_t count, std::uint32_t parts, Work&& work) {
    FirstError error;
    const auto done =
        in_parallel(pool_, error, parts, size_, [&](std::size_t part, std::size_t thread) -> Result<void> {
          work(static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(part), count * part / parts,
               count * (part + 1) / parts);
          return {};
        });
    if (!done) throw std::runtime_error(done.error().message());
  }

 private:
  static constexpr std::uint32_t kSmallParts = 4;  // of a thread
  static std::uint32_t at_most(std::size_t count, std::size_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(count / std::max<std::size_t>(1, least), 1, most));
  }

  const std::uint32_t size_;
  TaskPool pool_;
};

}  // namespace frond::indexer::invert::gpu
