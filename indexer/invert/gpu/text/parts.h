#pragma once
// Work on many items by several threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "common/base/thread_name.h"

namespace frond::indexer::invert::gpu {

// How many threads are worth it for `count` items, of which each should have at least `least`.
inline std::uint32_t parts_of(std::size_t count, std::size_t least, std::uint32_t threads) {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(count / std::max<std::size_t>(1, least), 1, std::max(1u, threads)));
}

// Calls work(part, begin, end) for consecutive parts [begin, end) of `count` items, each by a thread; part 0 by this
// one. What any of them throws is thrown here, when all have ended.
template <class Work>
void in_parts(std::size_t count, std::uint32_t parts, Work&& work) {
  std::vector<std::exception_ptr> thrown(parts);
  const auto guarded = [&](std::uint32_t part) {
    try {
      work(part, count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t part = 1; part < parts; ++part)
      threads.emplace_back([&guarded, part] {
        name_this_thread(("texts-" + std::to_string(part)).c_str());
        guarded(part);
      });
    guarded(0);
  }
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace frond::indexer::invert::gpu
