// Static priors on the GPU: exactly the oracle's hits and scores, for every mode, k, weight and size of batch, with
// priors that are small or large beside scores, and with hidden documents.
#include <gtest/gtest.h>

#include "tests/gpu/engine/checked_engine.h"

namespace frond::leaf::gpu {
namespace {

using support::HiddenParts, support::IndexedCollection, support::TermNumber;

const engine::Mode kPriorModes[] = {engine::Mode::kAnd, engine::Mode::kOr};

// Of each partition, as plans refer to them.
using PriorParts = std::vector<std::shared_ptr<const partition::DocumentPriors>>;
PriorParts parts_of(const IndexedCollection& index) {
  PriorParts parts;
  for (const auto& partition : index.partitions()) parts.push_back(partition.priors);
  return parts;
}

class PriorsOnGpu : public testing::TestWithParam<Case> {};

TEST_P(PriorsOnGpu, AnswersLikeTheOracleInBatchesOfAnyWeights) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  support::Random random(c.seed + 1);
  const auto priors = support::random_priors(random, c.options.documents);
  Engine engine;
  std::uint64_t too_odd = 0;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    IndexedCollection index(collection, {.partitions = partitions, .codec = {}, .bm25 = c.bm25});
    index.set_priors(priors, scoring::kUsualPriorWeight);
    const PriorParts kept = parts_of(index);
    const HiddenParts hidden = index.hidden_parts(support::random_hidden(random, c.options.documents));
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (int q = 0; q < c.queries; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : 4);
      const auto partition = random.below(partitions);
      if (c.own_bm25) index.set_asked(support::random_bm25(random));
      const std::uint64_t most = q % 4 == 0 ? 16 : q % 4 == 1 ? 1 : 4;
      const auto weight = static_cast<scoring::PriorWeight>(random.below(most * scoring::kUsualPriorWeight + 1));
      for (const auto mode : kPriorModes) {
        auto whole = index.plan(partition, query, mode, 10'000);
        whole.prior_weight = q % 7 == 6 ? 0 : weight;
        if (q % 3 == 2) whole.hidden = hidden[partition].get();
        if (q % 5 == 4) whole.priors = nullptr;
        const auto ranking = oracle->search(std::span(&whole, 1), kClock);
        for (const std::uint32_t k : {1u, 10u, 100u, 1000u}) {
          plans.push_back(whole);
          plans.back().k = k;
          if (q % 3 > 0) plans.back().count_to = q % 3 == 1 ? k : 0;
          wanted.push_back(ranking[0]);
          told.push_back("seed " + std::to_string(c.seed) + ", query " + std::to_string(q) +
                         (mode == engine::Mode::kAnd ? " and" : " or") + ", k " + std::to_string(k) + ", weight " +
                         std::to_string(whole.prior_weight) + ", partitions " + std::to_string(partitions));
          too_odd += !fits_kernels(plans.back());
        }
      }
    }
    expect_same_in_batches(engine, plans, wanted, told, random);
    if (HasFatalFailure()) return;
  }
  const auto counted = engine->counters();
  EXPECT_EQ(counted.fallbacks, too_odd + counted.unanswered);
  EXPECT_LE(counted.unanswered, counted.plans / 10);  // bins are narrow enough beside priors
}

INSTANTIATE_TEST_SUITE_P(
    Collections, PriorsOnGpu,
    testing::Values(Case{"Small", 641, {.documents = 40, .terms = 30}, 25},
                    Case{"OneBlock", 642, {.documents = 300, .terms = 60}, 15},
                    Case{"Ordinary", 643, {.documents = 9000, .terms = 120}, 10},
                    Case{"OfEqualLengths", 644, {.documents = 5000, .terms = 100, .equal_lengths = true}, 8},
                    Case{"Sparse", 646, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, 8},
                    Case{"WithoutFrequencies", 648, {.documents = 3000, .terms = 60}, 8, {.k1 = 0, .b = 0.4}},
                    Case{"OfImpacts", 650, {.documents = 9000, .terms = 120}, 8, scoring::kImpacts},
                    Case{"ForOtherParameters", 649, {.documents = 6000, .terms = 100}, 10, {}, true}),
    [](const auto& tested) { return tested.param.name; });

class PriorsOfACollection : public testing::Test {
 protected:
  void expect_same_as_oracle(Engine& engine, const engine::Plan& plan, const std::string& what) {
    engine::Plan whole = plan;
    whole.k = 10'000;
    expect_same(engine->search(std::span(&plan, 1), kClock)[0], oracle_->search(std::span(&whole, 1), kClock)[0], plan,
                what);
  }
  std::vector<std::vector<TermNumber>> queries() const { return {{0}, {0, 1}, {1, 2, 3}, {20, 25}, {0, 7, 9, 30}}; }
  const support::Collection collection_ = support::random_collection(651, {.documents = 9000, .terms = 60});
  IndexedCollection index_{collection_, {}};
  const std::unique_ptr<engine::QueryEngine> oracle_ = *engine_named("exhaustive");
};

// A document that terms alone would never make a hit: one in a block, and in a list, of low bounds.
TEST_F(PriorsOfACollection, FindsADocumentForItsPriorAlone) {
  Engine engine;
  for (const auto& query : queries())
    for (const auto mode : kPriorModes) {
      const auto whole = index_.plan(0, query, mode, 10'000);
      const auto ranking = oracle_->search(std::span(&whole, 1), kClock);
      ASSERT_FALSE(ranking[0]->hits.empty());
      std::vector<scoring::Prior> priors(9000, 3);
      const Ordinal last = ranking[0]->hits.back().ordinal;
      priors[last] = scoring::prior_of(100);
      index_.set_priors(priors, scoring::kUsualPriorWeight);
      const PriorParts kept = parts_of(index_);
      const auto plan = index_.plan(0, query, mode, 1);
      const auto got = engine->search(std::span(&plan, 1), kClock);
      ASSERT_EQ(got[0]->hits.size(), 1u);
      EXPECT_EQ(got[0]->hits[0].ordinal, last);
      expect_same_as_oracle(engine, plan, std::to_string(query.size()) + " terms");
    }
  EXPECT_EQ(engine->counters().fallbacks, 0u);
}

TEST_F(PriorsOfACollection, AreAddedToPlansOfDeviceLeasesAndNotToUnrankedOnes) {
  Engine engine;
  support::Random random(652);
  index_.set_priors(support::random_priors(random, 9000), scoring::kUsualPriorWeight);
  const auto owner = index_.partitions()[0].priors->arrays();
  auto unranked = index_.plan(0, std::vector<TermNumber>{0, 1}, engine::Mode::kOr, 10);
  unranked.ranked = false;
  expect_same_as_oracle(engine, unranked, "unranked");
  EXPECT_EQ(engine->cache().find_array(owner), nullptr);
  for (const auto& query : queries()) {
    const auto plan = index_.plan(0, query, engine::Mode::kOr, 10);
    expect_same_as_oracle(engine, plan, "of lists");
    auto of_leases = plan;
    for (engine::PlanTerm& term : of_leases.terms) {
      term.on_device = engine->cache().find(term.list->key);
      ASSERT_NE(term.on_device, nullptr);
      term.list = nullptr;
    }
    of_leases.priors_on_device = engine->cache().find_array(owner);
    ASSERT_NE(of_leases.priors_on_device, nullptr);
    const auto got = engine->try_search(std::span(&of_leases, 1), kClock);
    ASSERT_TRUE(got[0]);
    EXPECT_EQ((*got[0])->hits, engine->search(std::span(&plan, 1), kClock)[0]->hits);
  }
  EXPECT_EQ(engine->counters().fallbacks, 0u);
}

// Sums of bounds that do not fit 32 bits would wrap.
TEST_F(PriorsOfACollection, AreTheCpusWhereBoundsAreTooLarge) {
  Engine engine;
  index_.set_priors(std::vector<scoring::Prior>(9000, scoring::kMaxPrior), scoring::kMaxPriorWeight);
  auto plan = index_.plan(0, std::vector<TermNumber>{0, 1}, engine::Mode::kOr, 10);
  for (engine::PlanTerm& term : plan.terms) {
    term.weight *= 1.5e4f;
    term.bounds = scoring::BoundScale(term.weight, {}, index_.statistics(),
                                      {scoring::Bm25Parameters{}.b, index_.statistics().average_length()});
  }
  const auto got = engine->try_search(std::span(&plan, 1), kClock);
  EXPECT_FALSE(got[0]);
}

}  // namespace
}  // namespace frond::leaf::gpu
