// Queries of tens of terms, as those of learned sparse vectors are: the GPU engine finds exactly the oracle's hits, and
// the device searches them itself up to its limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "leaf/gpu/tuning.h"
#include "tests/gpu/engine/checked_engine.h"
#include "tests/support/collections/impacts.h"

namespace frond::leaf::gpu {
namespace {

using support::IndexedCollection;

void expect_long_queries(const scoring::Bm25Parameters& bm25, std::uint64_t seed) {
  support::Random random(seed);
  auto collection = support::random_collection(seed, {.documents = 4000, .terms = 80, .most_frequent = 0.4});
  const bool impacts = scoring::are_impacts(bm25);
  if (impacts) support::make_impacts(random, collection);
  const IndexedCollection index(collection, {.partitions = 1, .codec = {}, .bm25 = bm25});
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  std::vector<engine::Plan> plans;
  std::vector<Result<engine::Outcome>> wanted;
  std::vector<std::string> told;
  std::size_t longer = 0;
  for (const std::size_t terms : {31u, 32u, 33u, 40u, 60u, kMaxQueryTerms - 1, kMaxQueryTerms, kMaxQueryTerms + 1, 80u})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {1u, 10u, 1000u}) {
        const auto query = support::distinct_terms(random, collection, terms);
        auto whole = index.plan(0, query, mode, 10'000);
        if (impacts) support::weigh(whole, index, 0, query, support::random_units(random, query.size()));
        wanted.push_back(oracle->search(std::span(&whole, 1), kClock)[0]);
        plans.push_back(std::move(whole));
        plans.back().k = k;
        longer += plans.back().terms.size() > kMaxQueryTerms;
        told.push_back("seed " + std::to_string(seed) + ", " + std::to_string(terms) + " terms, k " +
                       std::to_string(k) + (mode == engine::Mode::kAnd ? ", and" : ", or"));
      }
  expect_same_in_batches(engine, plans, wanted, told, random);
  EXPECT_EQ(engine->counters().fallbacks, longer + engine->counters().unanswered);
  EXPECT_EQ(engine->counters().unanswered, 0u);
  EXPECT_EQ(longer, 12u);
}

TEST(GpuEngineOfLongQueries, GivesTheOraclesHits) { expect_long_queries({}, 720); }
TEST(GpuEngineOfLongQueries, GivesTheOraclesHitsOfWeighedImpacts) { expect_long_queries(scoring::kImpacts, 721); }

TEST(GpuEngineOfLongQueries, CountsTheSame) {
  support::Random random(722);
  const auto collection = support::random_collection(722, {.documents = 4000, .terms = 80, .most_frequent = 0.4});
  const IndexedCollection index(collection, {});
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  std::vector<engine::Plan> plans;
  for (const std::size_t terms : {33u, 60u, kMaxQueryTerms})
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {0u, 10u}) {
        plans.push_back(index.plan(0, support::distinct_terms(random, collection, terms), mode, k));
        plans.back().ranked = false;
      }
  const auto got = engine->search(plans, kClock), wanted = oracle->search(plans, kClock);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ASSERT_TRUE(got[i].has_value()) << got[i].error().message();
    EXPECT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
    EXPECT_EQ(got[i]->matches, wanted[i]->matches) << "plan " << i;
  }
  EXPECT_EQ(engine->counters().fallbacks, engine->counters().unanswered);
}

// As many as fill several launches.
TEST(GpuEngineOfLongQueries, AreCutIntoLaunchesOfSoManyTerms) {
  support::Random random(723);
  const auto collection = support::random_collection(723, {.documents = 1000, .terms = 80});
  const IndexedCollection index(collection, {});
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  std::vector<engine::Plan> plans;
  while (plans.size() * kMaxQueryTerms <= 2 * kMaxTerms)
    plans.push_back(index.plan(0, support::distinct_terms(random, collection, kMaxQueryTerms), engine::Mode::kOr, 10));
  const auto got = engine->search(plans, kClock), wanted = oracle->search(plans, kClock);
  for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
  EXPECT_EQ(engine->counters().fallbacks, 0u);
}

}  // namespace
}  // namespace frond::leaf::gpu
