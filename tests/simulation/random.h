#pragma once
// Random choices of one run. The same seed gives the same choices with every standard library.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace frond::simulation {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // SplitMix64.
  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::uint64_t from_to(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool one_in(std::uint64_t many) { return below(many) == 0; }
  microseconds time(microseconds least, microseconds most) {
    return microseconds(from_to(static_cast<std::uint64_t>(least.count()), static_cast<std::uint64_t>(most.count())));
  }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace frond::simulation
