#pragma once
// What was measured several times, as few numbers.
#include <time.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/base/result.h"

namespace frond::tools::bench {

struct Spread {
  double median = 0, min = 0, max = 0;  // over rounds
};

Spread spread_of(std::vector<double> rounds);  // none: all 0
// Items a second, from the seconds that each round took for `count` items.
Spread rate_of(std::vector<double> seconds, double count);

// Of many values, as the times of queries.
struct Distribution {
  double mean = 0, median = 0, p95 = 0, p99 = 0;
};
// The mean, and the values at ranks ceil(share * count). `values` is not empty.
Distribution distribution_of(std::vector<double> values);

// "1.23 -4+5%": the median, and how many percent the min is below it and the max above it. "-" if the median is 0.
std::string shown(const Spread& figure, int digits);
nlohmann::ordered_json as_json(const Spread& figure);
nlohmann::ordered_json as_json(const Distribution& figures);

// The clocks of measurements.

// CPU time of the calling thread: the cost of a query, independent of other load on the machine.
inline std::uint64_t thread_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}
// How long a reading of it takes, the least of many: what lies between two readings takes as much less.
std::uint64_t thread_clock_nanoseconds();

// By the wall clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Calls `work` with 0 .. count - 1, in any order, from so many threads.
void in_parallel(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

// A temporary folder, removed with its contents when the object is destroyed.
class ScratchFolder {
 public:
  // Creates the folder in `parent`; empty: the system's temporary directory. kUnavailable: it cannot be created.
  static Result<std::unique_ptr<ScratchFolder>> create(std::filesystem::path parent = {});
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path);
  const std::filesystem::path path_;
};

}  // namespace frond::tools::bench
