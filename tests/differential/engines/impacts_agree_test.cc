// Every engine ranks impacts by their sums: compared with sums made here, document by document, for queries of up to
// eighty terms whose weights are as large in all as they may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/topk/top_k.h"
#include "leaf/engines.h"
#include "tests/support/collections/impacts.h"

namespace frond::leaf {
namespace {

using support::IndexedCollection;
using support::TermNumber;

const SteadyClock kClock;

// The sum of impact times weight, by ordinal; of AND only where all terms are. Best first.
std::vector<topk::Hit> ranking(const support::Collection& collection, const std::vector<TermNumber>& query,
                               const std::vector<std::uint32_t>& units, engine::Mode mode) {
  std::vector<std::uint64_t> sums(collection.lengths.size(), 0);
  std::vector<std::size_t> terms(sums.size(), 0);
  for (std::size_t i = 0; i < query.size(); ++i)
    for (const support::Posting& posting : collection.postings[query[i]]) {
      sums[posting.document] += std::uint64_t{posting.frequency} * units[i] * (scoring::kScoreScale / 256);
      ++terms[posting.document];
    }
  std::vector<topk::Hit> hits;
  for (DocId document = 0; document < sums.size(); ++document)
    if (terms[document] >= (mode == engine::Mode::kAnd ? query.size() : 1))
      hits.push_back({document, static_cast<scoring::Score>(sums[document])});
  std::ranges::sort(hits, topk::better);
  return hits;
}

TEST(EveryEngine, RanksImpactsByTheirSums) {
  for (const std::uint64_t seed : {131, 132, 133}) {
    support::Random random(seed);
    auto collection = support::random_collection(
        seed, {.documents = seed == 133 ? 30'000u : 3000u, .terms = 90, .most_frequent = seed == 131 ? 0.5 : 0.1});
    support::make_impacts(random, collection);
    for (const std::uint32_t partitions : {1u, 3u}) {
      const IndexedCollection index(collection, {.partitions = partitions, .codec = {}, .bm25 = scoring::kImpacts});
      for (int q = 0; q < 25; ++q) {
        const std::size_t many = q % 5 == 0 ? 80 : 1 + random.below(q % 5 == 1 ? 3 : 40);
        const auto query = support::distinct_terms(random, collection, many);
        const auto units = support::random_units(random, query.size());
        for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
          const auto whole = ranking(collection, query, units, mode);
          for (const std::uint32_t k : {1u, 10u, 1000u})
            for (const auto& entry : all_engines()) {
              std::vector<std::vector<topk::Hit>> parts;
              for (std::size_t p = 0; p < partitions; ++p) {
                auto plan = index.plan(p, query, mode, k);
                support::weigh(plan, index, p, query, units);
                const auto got = entry.make()->search(std::span(&plan, 1), kClock);
                ASSERT_TRUE(got[0].has_value()) << got[0].error().message();
                parts.push_back(got[0]->hits);
              }
              auto wanted = whole;
              wanted.resize(std::min<std::size_t>(k, wanted.size()));
              ASSERT_EQ(topk::merge(parts, k), wanted)
                  << entry.name << ", seed " << seed << " query " << q << " of " << many << " terms, k " << k
                  << (mode == engine::Mode::kAnd ? ", and" : ", or") << ", partitions " << partitions;
            }
        }
      }
    }
  }
}

}  // namespace
}  // namespace frond::leaf
