#pragma once
// Random numbers that depend only on a seed and a purpose: splitmix64 (Steele, Lea and Flood 2014). Every list and
// every range of documents has its own stream, so that threads need not share one.
#include <cmath>
#include <cstdint>
#include <numbers>

namespace frond::tools::synth {

constexpr std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  // The stream for this purpose and these numbers.
  constexpr Random(std::uint64_t seed, std::uint64_t purpose, std::uint64_t a, std::uint64_t b = 0)
      : state_(mixed(mixed(mixed(seed + purpose * kStep) + a * kStep) + b * kStep)) {}

  constexpr std::uint64_t next() { return mixed(state_ += kStep); }
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  constexpr double positive_unit() { return 1 - unit(); }                          // (0, 1]
  constexpr std::uint32_t below(std::uint32_t bound) {                             // [0, bound), bound > 0
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  std::uint64_t state_;
};

// A number of the standard normal distribution (Box and Muller 1958).
inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(random.positive_unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}
// A number of the gamma distribution of this shape, with mean 1 (Marsaglia and Tsang 2000). shape > 0.
inline double gamma_of_mean_one(Random& random, double shape) {
  // For a shape below 1, draws with shape + 1 and corrects, as in section 6 of that paper.
  const double boost = shape < 1 ? std::pow(random.positive_unit(), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(random), base = 1 + c * x;
    if (base <= 0) continue;
    const double v = base * base * base;
    if (std::log(random.positive_unit()) < 0.5 * x * x + d - d * v + d * std::log(v)) return boost * d * v / shape;
  }
}

}  // namespace frond::tools::synth
