#include "broker/merge/facet_stats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/check.h"
#include "common/schema/value.h"

namespace frond::broker::merge {

using frond::query::FacetCounts;

namespace {

// How many different ones there are in all, each of which ascends.
template <class Key>
std::size_t different(std::span<const FacetCounts* const> counted, std::vector<Key> FacetCounts::*keys) {
  const auto after = [](std::span<const Key> a, std::span<const Key> b) { return b.front() < a.front(); };
  std::vector<std::span<const Key>> left;
  for (const FacetCounts* const one : counted)
    if (!(one->*keys).empty()) left.emplace_back(one->*keys);
  std::ranges::make_heap(left, after);
  std::size_t found = 0;
  for (const Key* last = nullptr; !left.empty();) {
    std::ranges::pop_heap(left, after);
    std::span<const Key>& least = left.back();
    if (last == nullptr || *last != least.front()) ++found;
    last = &least.front();
    least = least.subspan(1);
    if (least.empty())
      left.pop_back();
    else
      std::ranges::push_heap(left, after);
  }
  return found;
}

}  // namespace

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
                                     std::span<const FacetCounts* const> counted) {
  const auto key = [](double number) { return schema::ordering_key(schema::FieldType::kFloat, number + 0.0); };
  if (facet.kind == frond::query::Facet::Kind::kDistinct)
    return different(counted, &FacetCounts::keys) + different(counted, &FacetCounts::words);
  FacetCounts counts;
  for (const FacetCounts* const one : counted) {
    counts.with_value += one->with_value;
    counts.values += one->values;
    counts.least = std::min(counts.least, one->least);
    counts.greatest = std::max(counts.greatest, one->greatest);
    counts.sum.add(one->sum);
  }
  if (member == "documents") return counts.with_value;
  if (member == "count" || member == "values") return counts.values;
  if (member == "sum") return key(counts.sum.rounded());
  if (counts.values == 0) return {};
  if (member == "min") return counts.least;
  if (member == "max") return counts.greatest;
  return key(mean_of(counts.sum, counts.values));
}

}  // namespace frond::broker::merge
