#pragma once
// A few independent pieces of work, on several threads.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "common/base/result.h"

namespace frond {

// Calls work(i) for each i below `count`, on at most `threads` threads, of which the caller's is one. After an error no
// more is begun; gives the first one. Threads take the caller's priority.
template <class Work>
Result<void> in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto some = [&]() -> Result<void> {
    for (std::size_t i = next++; i < count; i = next++) {
      auto done = [&]() -> Result<void> {
        try {
          return work(i);
        } catch (const std::exception& thrown) {
          return Error(Code::kUnavailable, thrown.what());
        }
      }();
      if (done) continue;
      next = count;
      return done;
    }
    return {};
  };
  std::vector<std::future<Result<void>>> others;
  for (std::size_t i = 1; i < std::min(count, threads); ++i) others.push_back(std::async(std::launch::async, some));
  Result<void> outcome = some();
  for (auto& other : others)
    if (auto its = other.get(); !its && outcome) outcome = std::move(its);
  return outcome;
}

// How many threads so much work is worth, on this machine.
inline std::size_t threads_for(std::size_t items, std::size_t items_each) {
  const std::size_t most = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  return std::clamp<std::size_t>(items / items_each, 1, most);
}

}  // namespace frond
