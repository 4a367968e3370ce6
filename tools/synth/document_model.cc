#include "tools/synth/document_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/synth/random.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kOfDocuments = 2;
// Quantiles of the standard normal distribution, at 1/16, 2/16, … 15/16.
constexpr std::array<double, kClasses - 1> kQuantiles = {
    -1.5341205443525463, -1.1503493803760079, -0.8871465590188762, -0.6744897501960817,
    -0.4887764111146695, -0.3186393639643751, -0.1573106846101707, 0.0,
    0.1573106846101707,  0.3186393639643751,  0.4887764111146695,  0.6744897501960817,
    0.8871465590188762,  1.1503493803760079,  1.5341205443525463};

double below(double quantile) { return 0.5 * std::erfc(-quantile / std::numbers::sqrt2); }

}  // namespace

std::vector<Window> windows_of(const CollectionSize& size) {
  const std::uint64_t all = size.documents;
  const std::uint64_t runs = size.order == DocidOrder::kRandom ? 1 : std::min<std::uint64_t>(size.profile->runs, all);
  std::vector<Window> windows;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::uint64_t end = all * (run + 1) / runs;
    for (std::uint64_t begin = all * run / runs; begin < end; begin += kMaxWindow)
      windows.push_back({static_cast<DocId>(begin),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, kMaxWindow)),
                         static_cast<std::uint32_t>(run)});
  }
  return windows;
}

WindowDocuments draw_documents(const CollectionSize& size, const Window& window, std::vector<std::uint32_t>& lengths) {
  Random random(size.seed, kOfDocuments, window.begin);
  const double sigma = size.profile->length_sigma, median = size.profile->mean_length * std::exp(-sigma * sigma / 2);
  WindowDocuments documents{.window = window, .class_of = {}, .by_class = {}, .first = {}};
  documents.class_of.reserve(window.count);
  for (std::uint32_t i = 0; i < window.count; ++i) {
    const double z = normal(random);
    const auto at = std::upper_bound(kQuantiles.begin(), kQuantiles.end(), z) - kQuantiles.begin();
    documents.class_of.push_back(static_cast<std::uint8_t>(at));
    ++documents.first[static_cast<std::size_t>(at) + 1];
    lengths.push_back(static_cast<std::uint32_t>(std::clamp(median * std::exp(sigma * z), 1.0, 1e6)));
  }
  for (std::size_t c = 0; c < kClasses; ++c) documents.first[c + 1] += documents.first[c];
  documents.by_class.resize(window.count);
  auto next = documents.first;
  for (std::uint32_t i = 0; i < window.count; ++i)
    documents.by_class[next[documents.class_of[i]]++] = static_cast<std::uint16_t>(i);
  return documents;
}

std::array<double, kClasses> class_factors(const Profile& profile) {
  // Between two quantiles z, the mean of a log-normal variable is proportional to the difference of the normal
  // distribution function at z - sigma.
  std::array<double, kClasses> factors{};
  for (std::size_t c = 0; c < kClasses; ++c) {
    const double low = c == 0 ? 0 : below(kQuantiles[c - 1] - profile.length_sigma);
    const double high = c + 1 == kClasses ? 1 : below(kQuantiles[c] - profile.length_sigma);
    factors[c] = (high - low) * kClasses;
  }
  return factors;
}

}  // namespace frond::tools::synth
