// Partitions with hidden documents on the GPU: exactly the oracle's hits, scores and totals, for every mode, k and size
// of batch, in batches with partitions that hide nothing, and with several generations that share lists. Nothing is
// left to the CPU but what always is.
#include <gtest/gtest.h>

#include "tests/gpu/engine/checked_engine.h"

namespace frond::leaf::gpu {
namespace {

using support::HiddenParts, support::IndexedCollection, support::TermNumber;

const engine::Mode kModes[] = {engine::Mode::kAnd, engine::Mode::kOr};

class HiddenOnGpu : public testing::TestWithParam<Case> {};

TEST_P(HiddenOnGpu, AnswersLikeTheOracleInBatchesOfSeveralGenerations) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  support::Random random(c.seed + 1);
  Engine engine;
  std::uint64_t too_odd = 0, hiding = 0;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    IndexedCollection index(collection, {.partitions = partitions, .codec = {}, .bm25 = c.bm25});
    std::vector<HiddenParts> generations(1, HiddenParts(partitions));  // the first hides nothing
    for (int g = 0; g < 3; ++g)
      generations.push_back(index.hidden_parts(support::random_hidden(random, c.options.documents)));
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (int q = 0; q < c.queries; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : q % 3 == 0 ? 1 : 4);
      const auto partition = random.below(partitions);
      index.set_hidden(generations[random.below(generations.size())]);
      for (const auto mode : kModes)
        for (const bool ranked : {true, false}) {
          auto whole = index.plan(partition, query, mode, 10'000);
          whole.ranked = ranked;
          const auto ranking = oracle->search(std::span(&whole, 1), kClock);
          for (const std::uint32_t k : {1u, 10u, 100u, 1000u}) {
            plans.push_back(whole);
            plans.back().k = !ranked && k == 100 ? 0 : k;
            if (q % 3 > 0) plans.back().count_to = q % 3 == 1 ? k : 0;
            wanted.push_back(ranking[0]);
            told.push_back("seed " + std::to_string(c.seed) + ", query " + std::to_string(q) +
                           (mode == engine::Mode::kAnd ? " and" : " or") + (ranked ? "" : " unranked") + ", k " +
                           std::to_string(k) + ", partitions " + std::to_string(partitions));
            too_odd += !fits_kernels(plans.back());
            hiding += whole.hidden != nullptr;
          }
        }
    }
    expect_same_in_batches(engine, plans, wanted, told, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(hiding, 0u);
  const auto counted = engine->counters();
  EXPECT_EQ(counted.fallbacks, too_odd + counted.unanswered);
}

INSTANTIATE_TEST_SUITE_P(
    Collections, HiddenOnGpu,
    testing::Values(Case{"Small", 621, {.documents = 40, .terms = 30}, 15},
                    Case{"OneBlock", 622, {.documents = 300, .terms = 60}, 10},
                    Case{"Ordinary", 623, {.documents = 9000, .terms = 120}, 4},
                    Case{"OfEqualLengths", 624, {.documents = 5000, .terms = 100, .equal_lengths = true}, 4},
                    Case{"Sparse", 626, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, 3},
                    Case{"WithoutFrequencies", 628, {.documents = 3000, .terms = 60}, 4, {.k1 = 0, .b = 0.4}}),
    [](const auto& tested) { return tested.param.name; });

class HiddenDocumentsOfACollection : public testing::Test {
 protected:
  std::vector<bool> all(bool hidden) const { return std::vector<bool>(collection_.lengths.size(), hidden); }
  // Of the frequent terms, whose lists store their best postings.
  std::vector<std::vector<TermNumber>> queries() const { return {{0}, {0, 1}, {1, 2, 3}, {2, 5}, {4}, {0, 7, 9}}; }
  void expect_same_as_oracle(Engine& engine, const engine::Plan& plan, const std::string& what) {
    engine::Plan whole = plan;
    whole.k = 10'000;
    expect_same(engine->search(std::span(&plan, 1), kClock)[0], oracle_->search(std::span(&whole, 1), kClock)[0], plan,
                what);
  }
  const support::Collection collection_ = support::random_collection(631, {.documents = 9000, .terms = 60});
  IndexedCollection index_{collection_, {}};
  const std::unique_ptr<engine::QueryEngine> oracle_ = *engine_named("exhaustive");
};

// No threshold may come from postings of hidden documents: those stored with lists, nor those of the best blocks.
TEST_F(HiddenDocumentsOfACollection, FindsTheNextBestWhereTheBestAreHidden) {
  Engine engine;
  for (const auto& query : queries())
    for (const auto mode : kModes)
      for (const std::size_t best : {1u, 10u, 200u}) {
        index_.set_hidden(HiddenParts(1));
        const auto whole = index_.plan(0, query, mode, 10'000);
        const auto ranking = oracle_->search(std::span(&whole, 1), kClock);
        auto hidden = all(false);
        for (std::size_t i = 0; i < std::min(best, ranking[0]->hits.size()); ++i)
          hidden[ranking[0]->hits[i].ordinal] = true;
        const HiddenParts parts = index_.hidden_parts(hidden);
        index_.set_hidden(parts);
        for (const std::uint32_t k : {1u, 10u, 100u, 1000u})
          expect_same_as_oracle(engine, index_.plan(0, query, mode, k),
                                std::to_string(query.size()) + " terms, k " + std::to_string(k));
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(engine->counters().fallbacks, engine->counters().unanswered);
}

// Nor may the first documents of lists be taken for the first that match.
TEST_F(HiddenDocumentsOfACollection, FindsTheFirstWhereAllBeforeAreHidden) {
  Engine engine;
  for (const std::size_t first : {1u, 129u, 4000u, 8990u, 9000u}) {
    auto hidden = all(false);
    std::fill_n(hidden.begin(), first, true);
    const HiddenParts parts = index_.hidden_parts(hidden);
    index_.set_hidden(parts);
    for (const auto& query : queries())
      for (const auto mode : kModes)
        for (const std::uint32_t k : {0u, 1u, 10u, 1000u}) {
          auto plan = index_.plan(0, query, mode, k);
          plan.ranked = false;
          expect_same_as_oracle(engine, plan, std::to_string(first) + " hidden, k " + std::to_string(k));
          if (HasFatalFailure()) return;
        }
  }
  EXPECT_EQ(engine->counters().fallbacks, engine->counters().unanswered);
}

TEST_F(HiddenDocumentsOfACollection, CountsTheHiddenPostingsOfAListOncePerGeneration) {
  Engine engine;
  support::Random random(632);
  const HiddenParts one = index_.hidden_parts(support::random_hidden(random, 9000)), none(1);
  auto some = all(false);
  for (std::size_t i = 0; i < some.size(); i += 7) some[i] = true;
  const HiddenParts other = index_.hidden_parts(some);
  index_.set_hidden(other);
  for (const TermNumber term : {0u, 5u, 30u}) {
    const auto plan = index_.plan(0, std::vector{term}, engine::Mode::kOr, 10);
    const std::uint64_t hidden =
        collection_.postings[term].size() - oracle_->search(std::span(&plan, 1), kClock)[0]->matches;
    expect_same_as_oracle(engine, plan, "counted");
    const auto ready = engine->cache().pin(plan);
    ASSERT_TRUE(ready && ready->hidden_postings);
    EXPECT_EQ(*ready->hidden_postings, hidden);
    expect_same_as_oracle(engine, plan, "known");
    index_.set_hidden(one[0] ? one : none);
    const auto changed = index_.plan(0, std::vector{term}, engine::Mode::kOr, 10);
    EXPECT_FALSE(engine->cache().pin(changed)->hidden_postings);
    expect_same_as_oracle(engine, changed, "of another generation");
    index_.set_hidden(other);
  }
}

TEST_F(HiddenDocumentsOfACollection, IsSearchedInPlansOfDeviceLeases) {
  Engine engine;
  auto hidden = all(false);
  for (std::size_t i = 0; i < hidden.size(); i += 3) hidden[i] = true;
  const HiddenParts parts = index_.hidden_parts(hidden);
  index_.set_hidden(parts);
  EXPECT_EQ(engine->cache().find_array(parts[0]->words()), nullptr);
  for (const auto& query : queries())
    for (const auto mode : kModes) {
      const auto plan = index_.plan(0, query, mode, 10);
      expect_same_as_oracle(engine, plan, "of lists");
      auto of_leases = plan;
      for (engine::PlanTerm& term : of_leases.terms) {
        term.on_device = engine->cache().find(term.list->key);
        ASSERT_NE(term.on_device, nullptr);
        term.list = nullptr;
      }
      of_leases.hidden_on_device = engine->cache().find_array(parts[0]->words());
      ASSERT_NE(of_leases.hidden_on_device, nullptr);
      const auto got = engine->try_search(std::span(&of_leases, 1), kClock);
      ASSERT_TRUE(got[0]);
      engine::Plan whole = plan;
      whole.k = 10'000;
      expect_same(*got[0], oracle_->search(std::span(&whole, 1), kClock)[0], plan, "of leases");
    }
}

TEST_F(HiddenDocumentsOfACollection, AreTheCpusWhereTheirBitsFindNoRoom) {
  // 64 million documents take 8 MB: more than a quarter of what the workspace leaves.
  const auto below = *engine_named("cpu");
  const auto engine = *GpuEngine::create(
      {.memory_bytes = 2 * BatchRunner::kMinBytes, .runners = 1, .copying = DeviceCache::Copying::kByTheCaller},
      *below);
  const auto many = std::make_shared<const partition::HiddenDocuments>(64'000'000, std::vector<DocId>{3, 5, 8});
  auto shown = index_.plan(0, std::vector<TermNumber>{0, 1}, engine::Mode::kOr, 10);
  auto plan = shown;
  plan.hidden = many.get();
  std::vector<engine::Plan> plans{plan, shown};
  engine::BatchTimes times;
  times.no_room.resize(2);
  const auto got = engine->try_search(plans, kClock, &times);
  EXPECT_FALSE(got[0]);
  EXPECT_TRUE(got[1]);
  EXPECT_EQ(times.no_room, (std::vector<bool>{true, false}));
  EXPECT_TRUE(engine->cache().has_no_room_for(plan));
  expect_same(engine->search(std::span(&plan, 1), kClock)[0], oracle_->search(std::span(&plan, 1), kClock)[0], plan,
              "no room");
}

}  // namespace
}  // namespace frond::leaf::gpu
