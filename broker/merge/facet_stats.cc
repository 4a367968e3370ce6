#include "broker/merge/facet_stats.h"

#include <cmath>
#include <vector>

#include "common/base/check.h"
#include "common/schema/value.h"

namespace frond::broker::merge {

double mean_of(const frond::query::ExactSum& of, std::uint64_t values) {
  const double sum = of.rounded(), count = static_cast<double>(values);
  if (std::isfinite(sum)) return sum / count;
  // Without the lowest of its words a sum is a 2^64th of itself. What is cut off only decides a tie.
  std::vector<std::uint64_t> words = of.words();
  words[1] |= words[0] != 0 ? 1 : 0;
  words.erase(words.begin());
  if (sum < 0) words.push_back(~std::uint64_t{0});
  frond::query::ExactSum scaled;
  FROND_CHECK(scaled.set_words(words));
  return std::ldexp(scaled.rounded() / count, 64);
}

std::optional<std::uint64_t> rank_of(const frond::query::Facet& facet, std::string_view member,
                                     const frond::query::FacetCounts& counts) {
  const auto key = [](double number) { return schema::ordering_key(schema::FieldType::kFloat, number + 0.0); };
  if (facet.kind == frond::query::Facet::Kind::kDistinct) return counts.buckets();
  if (member == "documents") return counts.with_value;
  if (member == "count" || member == "values") return counts.values;
  if (member == "sum") return key(counts.sum.rounded());
  if (counts.values == 0) return {};
  if (member == "min") return counts.least;
  if (member == "max") return counts.greatest;
  return key(mean_of(counts.sum, counts.values));
}

}  // namespace frond::broker::merge
