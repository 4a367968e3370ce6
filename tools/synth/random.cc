#include "tools/synth/random.h"

#include <cmath>
#include <numbers>

namespace frond::tools::synth {

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(random.positive_unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

double gamma_of_mean_one(Random& random, double shape) {
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
