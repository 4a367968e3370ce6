#include "tools/synth/impact_queries.h"

#include <algorithm>
#include <cmath>

#include "tools/synth/document_model.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kOfImpactQueries = 5;
// A term that the subject's documents have this many times as often as others is taken whenever it is drawn; of the
// others so much less often.
constexpr double kSurelyTaken = 4;
constexpr int kTries = 1000;  // then any term will do
constexpr double kMinWeight = 0.05, kMaxWeight = 3;

std::vector<std::uint32_t> lengths_of(const Profile& profile, double documents) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t rank = 0; rank < profile.impacts.terms; ++rank) {
    const double share = profile.longest_list * profile.impacts.bend / (profile.impacts.bend + rank);
    lengths.push_back(static_cast<std::uint32_t>(std::clamp(std::round(share * documents), 1.0, documents)));
  }
  return lengths;
}

// A term by the square root of its length, from sums of these.
std::uint32_t any_term(const std::vector<double>& sums, Random& random) {
  const auto at = std::upper_bound(sums.begin(), sums.end(), random.unit() * sums.back());
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - sums.begin(), std::ssize(sums) - 1));
}

}  // namespace

QuerySet draw_impact_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed) {
  QuerySet set{.list_lengths = lengths_of(profile, documents), .queries = {}, .weights = {}};
  std::vector<double> sums;
  for (const std::uint32_t length : set.list_lengths)
    sums.push_back((sums.empty() ? 0 : sums.back()) + std::sqrt(static_cast<double>(length)));
  const CollectionSize size{.profile = &profile, .documents = documents, .order = DocidOrder::kInput, .seed = seed};
  const Impacts& impacts = profile.impacts;
  for (std::size_t number = 0; number < count; ++number) {
    Random random(seed, kOfImpactQueries, number);
    const std::uint32_t terms = std::min(any_kind(profile.queries, random).terms, impacts.terms);
    const std::uint32_t subject = random.below(std::min(profile.runs, documents));
    auto& query = set.queries.emplace_back();
    auto& weights = set.weights.emplace_back();
    for (int tries = 0; query.size() < terms; ++tries) {
      const std::uint32_t term = any_term(sums, random);
      if (std::ranges::find(query, term) != query.end()) continue;
      if (tries < kTries && random.unit() * kSurelyTaken >= usual_in_run(size, term, subject)) continue;
      query.push_back(term);
      const double weight = impacts.weight_median * std::exp(impacts.weight_sigma * normal(random));
      weights.push_back(static_cast<std::uint32_t>(std::lround(256 * std::clamp(weight, kMinWeight, kMaxWeight))));
    }
  }
  return set;
}

}  // namespace frond::tools::synth
