#pragma once
// Random collections of impacts, and long queries on them with weights.
#include <algorithm>
#include <vector>

#include "tests/support/collections/indexed_collection.h"

namespace frond::support {

// Gives all postings other frequencies: 1 to 255, often at the ends.
inline void make_impacts(Random& random, Collection& collection) {
  for (auto& postings : collection.postings)
    for (Posting& posting : postings) {
      const std::uint64_t kind = random.below(10);
      posting.frequency = kind == 0   ? scoring::kMaxImpact
                          : kind == 1 ? 1
                                      : static_cast<Frequency>(1 + random.below(scoring::kMaxImpact));
    }
}

// So many distinct terms, or all.
inline std::vector<TermNumber> distinct_terms(Random& random, const Collection& collection, std::size_t many) {
  std::vector<TermNumber> terms(collection.postings.size());
  for (TermNumber term = 0; term < terms.size(); ++term) terms[term] = term;
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) std::swap(terms[i], terms[i + random.below(terms.size() - i)]);
  terms.resize(std::min(many, terms.size()));
  return terms;
}

// A weight in 1/256 for each of so many terms; in all at most scoring::kMaxImpactUnits, often just as many.
inline std::vector<std::uint32_t> random_units(Random& random, std::size_t terms) {
  std::vector<std::uint32_t> units(terms);
  std::uint32_t left = scoring::kMaxImpactUnits;
  const std::uint64_t most = random.below(2) == 0 ? 2 * scoring::kMaxImpactUnits / terms : 3 * 256;
  for (std::size_t i = 0; i < terms; ++i) {
    const std::uint64_t room = left - (terms - i - 1);  // each has 1 at least
    units[i] = static_cast<std::uint32_t>(1 + random.below(std::min(room, most)));
    left -= units[i];
  }
  return units;
}

// Weighs the terms of a plan by their lists' keys. `units`: of `query`'s terms.
inline void weigh(leaf::engine::Plan& plan, const IndexedCollection& index, std::size_t partition,
                  const std::vector<TermNumber>& query, const std::vector<std::uint32_t>& units) {
  for (leaf::engine::PlanTerm& term : plan.terms)
    for (std::size_t i = 0; i < query.size(); ++i) {
      if (term.list != index.partitions()[partition].lists[query[i]]) continue;
      term.weight = scoring::impact_weight(units[i]);
      term.bounds =
          scoring::BoundScale(term.weight, scoring::kImpacts, index.statistics(), {.b = 0, .average_length = 1});
    }
}

}  // namespace frond::support
