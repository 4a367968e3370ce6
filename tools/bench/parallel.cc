#include "tools/bench/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace frond::tools::bench {

void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::max(threads, 1u); ++t)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
}

}  // namespace frond::tools::bench
