#pragma once
#include <cstddef>
#include <functional>

namespace frond::tools::bench {

// Calls `work` with 0 .. count - 1, in any order, from so many threads.
void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace frond::tools::bench
