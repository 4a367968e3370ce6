// The GPU engine finds exactly the oracle's hits and scores, for every mode, k and size of batch. Every plan is
// answered, also those that the device cannot run.
#include "leaf/gpu/gpu_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "common/postings/list_builder.h"
#include "tests/gpu/engine/checked_engine.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/collections/memory_list_store.h"

namespace frond::leaf::gpu {
namespace {

using support::IndexedCollection;
using support::TermNumber;

class GpuEngineOn : public testing::TestWithParam<Case> {};

TEST_P(GpuEngineOn, GivesTheOraclesHitsInBatchesOfMixedPlans) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  for (const std::uint32_t partitions : {1u, 3u}) {
    IndexedCollection index(collection, {.partitions = partitions, .codec = {}, .bm25 = c.bm25});
    support::Random random(c.seed + partitions);
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (int q = 0; q < c.queries; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : 4);
      const auto partition = random.below(partitions);
      if (c.own_bm25) index.set_asked(support::random_bm25(random));
      for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
        const auto whole = index.plan(partition, query, mode, 10'000);
        const auto ranking = oracle->search(std::span(&whole, 1), kClock);
        for (const std::uint32_t k : {1u, 10u, 100u, 1000u}) {
          plans.push_back(index.plan(partition, query, mode, k));
          if (q % 3 > 0) plans.back().count_to = q % 3 == 1 ? k : 0;
          wanted.push_back(ranking[0]);
          told.push_back("seed " + std::to_string(c.seed) + " query " + std::to_string(q) +
                         (mode == engine::Mode::kAnd ? " and" : " or") + " k " + std::to_string(k));
        }
      }
    }
    expect_same_in_batches(engine, plans, wanted, told, random);
    if (HasFatalFailure()) return;
  }
  const auto counted = engine->counters();
  EXPECT_GT(counted.plans, counted.fallbacks);  // most plans ran on the device
  EXPECT_EQ(counted.lists.damaged + counted.lists.too_large, 0u);
}

// In batches with plans that are ranked. Neither a floor nor count_to concerns a plan that is not.
void expect_counts(const Case& c, Engine& engine) {
  const auto collection = support::random_collection(c.seed + 1000, c.options);
  const auto oracle = *engine_named("exhaustive");
  engine::SharedFloor floor;
  floor.raise(1'000'000);
  std::uint64_t empty = 0;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    const IndexedCollection index(collection, {.partitions = partitions, .codec = {}, .bm25 = c.bm25});
    support::Random random(c.seed + partitions);
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    for (int q = 0; q < (c.queries + 1) / 2; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : 4);
      const auto partition = random.below(partitions);
      for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr}) {
        engine::Plan whole = index.plan(partition, query, mode, 1000, &floor);
        whole.ranked = false;
        whole.count_to = 3;
        const auto all = oracle->search(std::span(&whole, 1), kClock);
        for (const std::uint32_t k : {0u, 1u, 10u, 1000u}) {
          plans.push_back(whole);
          plans.back().k = k;
          wanted.push_back(all[0]);
          wanted.back()->hits.resize(std::min<std::size_t>(k, all[0]->hits.size()));
          empty += !fits_kernels(plans.back());
        }
        plans.push_back(index.plan(partition, query, mode, 10));
        const auto ranked = oracle->search(std::span(&plans.back(), 1), kClock);
        wanted.push_back(ranked[0]);
        empty += !fits_kernels(plans.back());
      }
    }
    const auto got = engine->search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const auto told = "seed " + std::to_string(c.seed) + " plan " + std::to_string(i) + " of " +
                        std::to_string(partitions) + " partitions, k " + std::to_string(plans[i].k);
      ASSERT_TRUE(got[i].has_value()) << told << ": " << got[i].error().message();
      ASSERT_EQ(got[i]->hits, wanted[i]->hits) << told;
      if (plans[i].ranked) continue;
      ASSERT_TRUE(got[i]->exact) << told;
      ASSERT_EQ(got[i]->matches, wanted[i]->matches) << told;
    }
  }
  const auto counted = engine->counters();
  EXPECT_EQ(counted.fallbacks, empty + counted.unanswered);
}

TEST_P(GpuEngineOn, CountsAllAndGivesTheFirstWithoutRanking) {
  Engine engine;
  expect_counts(GetParam(), engine);
}

INSTANTIATE_TEST_SUITE_P(
    Collections, GpuEngineOn,
    testing::Values(Case{"Small", 601, {.documents = 40, .terms = 30}, 25},
                    Case{"OneBlock", 602, {.documents = 300, .terms = 60}, 20},
                    Case{"Ordinary", 603, {.documents = 9000, .terms = 120}, 8},
                    Case{"OfEqualLengths", 604, {.documents = 5000, .terms = 100, .equal_lengths = true}, 6},
                    Case{"Sparse", 606, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, 5},
                    Case{"WithoutFrequencies", 608, {.documents = 3000, .terms = 60}, 8, {.k1 = 0, .b = 0.4}},
                    Case{"WithAllOfTheLength", 609, {.documents = 5000, .terms = 60}, 8, {.k1 = 4, .b = 1}},
                    Case{"OfImpacts", 613, {.documents = 9000, .terms = 120}, 8, scoring::kImpacts},
                    Case{"ForOtherParameters", 610, {.documents = 6000, .terms = 100}, 12, {}, true},
                    Case{"BuiltWithoutTheLength", 611, {.documents = 3000, .terms = 60}, 8, {1.2, 0}, true},
                    Case{"BuiltWithAllOfTheLength", 612, {.documents = 3000, .terms = 60}, 8, {1.2, 1}, true}),
    [](const auto& tested) { return tested.param.name; });

class GpuEngineOfACollection : public testing::Test {
 protected:
  std::vector<engine::Plan> plans(int count, std::uint32_t k = 10) {
    support::Random random(702);
    std::vector<engine::Plan> made;
    made.reserve(static_cast<std::size_t>(count));
    for (int q = 0; q < count; ++q)
      made.push_back(index_.plan(0, support::random_query(random, collection_, 4),
                                 q % 2 ? engine::Mode::kAnd : engine::Mode::kOr, k));
    return made;
  }
  void expect_answered(Engine& engine, std::span<const engine::Plan> plans) {
    const auto got = engine->search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      engine::Plan whole = plans[i];
      whole.k = 10'000;
      expect_same(got[i], oracle_->search(std::span(&whole, 1), kClock)[0], plans[i], "plan " + std::to_string(i));
    }
  }
  const support::Collection collection_ = support::random_collection(701, {.documents = 4000, .terms = 80});
  const IndexedCollection index_{collection_, {}};
  const std::unique_ptr<engine::QueryEngine> oracle_ = *engine_named("exhaustive");
};

TEST_F(GpuEngineOfACollection, LeavesWhatItCannotRunToTheEngineBelow) {
  Engine engine;
  auto odd = plans(6, 5000);  // more hits than kernels find
  odd.push_back(index_.plan(0, std::vector<TermNumber>{}, engine::Mode::kOr, 10));
  odd.push_back(index_.plan(0, std::vector<TermNumber>{0, 100'000}, engine::Mode::kAnd, 10));
  odd.push_back(index_.plan(0, std::vector<TermNumber>{1, 2}, engine::Mode::kAnd, 0));
  odd.push_back(index_.plan(0, std::vector<TermNumber>{1, 2}, engine::Mode::kOr, 1001));
  odd.back().ranked = false;
  expect_answered(engine, odd);
  EXPECT_EQ(engine->counters().plans, 0u);
  EXPECT_EQ(engine->counters().fallbacks, odd.size());
}

TEST_F(GpuEngineOfACollection, CountsInBatchesOfNothingElse) {
  Engine engine;
  auto counts = plans(40, 0);
  for (auto& plan : counts) plan.ranked = false;
  std::erase_if(counts, [](const engine::Plan& plan) { return !fits_kernels(plan); });
  for (const std::size_t size : {std::size_t{1}, counts.size()}) {
    const auto some = std::span(counts).first(size);
    const auto got = engine->search(some, kClock), wanted = oracle_->search(some, kClock);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_TRUE(got[i]->hits.empty() && got[i]->exact) << i;
      EXPECT_EQ(got[i]->matches, wanted[i]->matches) << i;
    }
  }
  EXPECT_EQ(engine->counters().plans, counts.size() + 1);
  expect_answered(engine, plans(10));
}

TEST_F(GpuEngineOfACollection, KeepsDocumentsThatReachTheFloor) {
  Engine engine;
  for (const auto& plan : plans(20, 30)) {
    const auto free = oracle_->search(std::span(&plan, 1), kClock);
    if (free[0]->hits.empty()) continue;
    engine::SharedFloor floor;
    floor.raise(free[0]->hits[free[0]->hits.size() / 2].score);
    engine::Plan floored = plan;
    floored.floor = &floor;
    expect_answered(engine, std::span(&floored, 1));
  }
}

TEST_F(GpuEngineOfACollection, AnswersManyCallersAtOnce) {
  Engine engine;
  const auto asked = plans(64);
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = static_cast<std::size_t>(t); i < asked.size(); i += 4)
        expect_answered(engine, std::span(asked).subspan(i, 1));
    });
  threads.clear();
  EXPECT_LE(engine->counters().batches, engine->counters().plans);
}

TEST_F(GpuEngineOfACollection, IsBusyWhileItSearchesAndNoLongerThanThatTook) {
  Engine engine;
  expect_answered(engine, plans(4));  // copies lists
  const double before = engine->counters().busy_seconds;
  EXPECT_GT(before, 0);
  const auto asked = plans(40, 3);
  const auto from = std::chrono::steady_clock::now();
  (void)engine->search(asked, kClock);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - from;
  EXPECT_GT(engine->counters().busy_seconds, before);
  EXPECT_LT(engine->counters().busy_seconds - before, passed.count());
}

TEST(GpuEngine, RanksThousandsOfTiesByDocumentAndLeavesThoseOfAndToTheEngineBelow) {
  auto collection = support::random_collection(703, {.documents = 12'000, .terms = 4, .equal_lengths = true});
  const TermNumber everywhere = collection.awkward.back();  // frequency 1
  const auto again = static_cast<TermNumber>(collection.postings.size());
  collection.postings.push_back(collection.postings[everywhere]);
  const IndexedCollection index(collection, {});
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  const auto expect_answered = [&](const engine::Plan& plan, std::uint64_t unanswered) {
    const auto got = engine->search(std::span(&plan, 1), kClock);
    expect_same(got[0], oracle->search(std::span(&plan, 1), kClock)[0], plan, "k " + std::to_string(plan.k));
    EXPECT_EQ(engine->counters().unanswered, unanswered) << "k " << plan.k;
  };
  for (const std::uint32_t k : {1u, 10u, 1000u}) {
    expect_answered(index.plan(0, std::vector{everywhere}, engine::Mode::kOr, k), 0);
    expect_answered(index.plan(0, std::vector{everywhere, again}, engine::Mode::kOr, k), 0);
    expect_answered(index.plan(0, std::vector{everywhere, TermNumber{0}, TermNumber{1}}, engine::Mode::kOr, k), 0);
  }
  expect_answered(index.plan(0, std::vector{everywhere, again}, engine::Mode::kAnd, 10), 1);
}

// Counts, and the first of thousands of documents that share a step of document_order.h: they lie between `first` and
// `documents`, every one, every second and every third, or in dense lists six of seven.
void expect_first_of_many(DocId first, std::uint32_t documents, bool dense) {
  const std::vector<std::uint32_t> lengths(documents, 100);
  std::vector<lists::ListLease> lists;
  for (std::uint32_t number = 0; number < 3; ++number) {
    std::vector<DocId> docids;
    for (DocId docid = first - 3 * number; docid < documents; docid += dense ? 1 : 1 + number)
      if (!dense || docid % 7 != number) docids.push_back(docid);
    const std::vector<Frequency> frequencies(docids.size(), 1);
    lists.push_back(support::make_lease(
        postings::ListBuilder(*codec::codec_choice_named("simd-bp128"), lengths, 0.4, 100).build(docids, frequencies),
        {1, std::to_string(number)}));
  }
  const scoring::CollectionStatistics statistics{.documents = documents, .tokens = std::uint64_t{100} * documents};
  const auto oracle = *engine_named("exhaustive");
  Engine engine;
  std::vector<engine::Plan> plans;
  for (std::size_t many = 1; many <= lists.size(); ++many)
    for (const auto mode : {engine::Mode::kAnd, engine::Mode::kOr})
      for (const std::uint32_t k : {1u, 10u, 1000u}) {
        engine::Plan& plan = plans.emplace_back();
        plan.mode = mode;
        plan.ranked = false;
        plan.k = k;
        for (std::size_t i = 0; i < many; ++i)
          plan.terms.push_back({lists[i], 1, {1, {}, statistics, {scoring::Bm25Parameters{}.b, 100}}});
        plan.lengths = lengths;
        plan.partition = 1;
      }
  const auto got = engine->search(plans, kClock);
  const auto wanted = oracle->search(plans, kClock);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(got[i]->hits, wanted[i]->hits) << "plan " << i;
    EXPECT_EQ(got[i]->matches, wanted[i]->matches) << "plan " << i;
  }
  EXPECT_EQ(engine->counters().fallbacks, 0u);
}

TEST(GpuEngine, RunsAgainWhereTheFirstDocumentsLieCloseTogether) {
  expect_first_of_many(270'400, 278'500, false);
  expect_first_of_many(524'300, 620'000, true);  // lists with a mark a document
}

TEST_F(GpuEngineOfACollection, CopiesListsInTheBackgroundAndAnswersMeanwhile) {
  const auto below = *engine_named("cpu");
  const auto engine = *GpuEngine::create(
      {.memory_bytes = std::size_t{100} << 20, .copying = DeviceCache::Copying::kInBackground}, *below);
  const auto asked = plans(20);
  const auto before = engine->search(asked, kClock);
  engine->cache().settle();
  const std::uint64_t on_device = engine->counters().plans;
  const auto after = engine->search(asked, kClock);
  EXPECT_GT(engine->counters().plans, on_device);
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(before[i]->hits, after[i]->hits) << i;
}

TEST_F(GpuEngineOfACollection, AnswersWithMemoryForAFewLists) {
  // A workspace takes half; lists and lengths hardly fit into the rest.
  const auto below = *engine_named("cpu");
  const auto asked = plans(60);
  const auto engine = *GpuEngine::create(
      {.memory_bytes = 2 * BatchRunner::kMinBytes, .runners = 1, .copying = DeviceCache::Copying::kByTheCaller},
      *below);
  for (int round = 0; round < 2; ++round) {
    const auto got = engine->search(asked, kClock);
    const auto wanted = below->search(asked, kClock);
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(got[i]->hits, wanted[i]->hits) << i;
  }
}

TEST_F(GpuEngineOfACollection, ForgetsTheListsOfAClosedPartition) {
  Engine engine;
  expect_answered(engine, plans(20));
  EXPECT_GT(engine->counters().lists.bytes, 0u);
  engine->cache().forget(index_.partitions()[0].number);
  EXPECT_EQ(engine->counters().lists.bytes, 0u);
}

TEST_F(GpuEngineOfACollection, RunsPlansOfDeviceLeasesAlsoOfEvictedLists) {
  Engine engine;
  const auto asked = plans(20);
  expect_answered(engine, asked);  // copies lists
  std::vector<engine::Plan> of_leases;
  std::vector<std::size_t> numbers;  // of the plans, in `asked`
  for (std::size_t number = 0; number < asked.size(); ++number) {
    engine::Plan plan = asked[number];
    for (engine::PlanTerm& term : plan.terms) {
      term.on_device = engine->cache().find(term.list->key);
      if (term.on_device == nullptr) break;  // an empty list
      term.list = nullptr;
    }
    if (plan.terms.empty() || plan.terms.back().on_device == nullptr) continue;
    of_leases.push_back(std::move(plan));
    numbers.push_back(number);
  }
  ASSERT_GT(of_leases.size(), 10u);
  engine->cache().forget(index_.partitions()[0].number);
  EXPECT_GT(engine->counters().lists.bytes, 0u);
  const auto got = engine->try_search(of_leases, kClock);
  for (std::size_t i = 0; i < got.size(); ++i) {
    engine::Plan whole = asked[numbers[i]];
    whole.k = 10'000;
    ASSERT_TRUE(got[i]) << numbers[i];
    expect_same(*got[i], oracle_->search(std::span(&whole, 1), kClock)[0], asked[numbers[i]],
                "plan " + std::to_string(numbers[i]));
  }
  of_leases.clear();
  EXPECT_EQ(engine->counters().lists.bytes, 0u);
}

TEST_F(GpuEngineOfACollection, DropsPlansPastTheirDeadline) {
  Engine engine;
  support::ManualClock clock;
  auto late = plans(2);
  late[0].deadline = Deadline::after(clock, std::chrono::milliseconds(1));
  clock.advance(std::chrono::milliseconds(2));
  const auto got = engine->search(late, clock);
  EXPECT_EQ(got[0], Code::kDeadline);
  EXPECT_TRUE(got[1].has_value());
}

TEST(GpuEngine, IsNotMadeWithoutItsDeviceOrMemory) {
  const auto below = *engine_named("cpu");
  EXPECT_EQ(GpuEngine::create({.device = 64}, *below), Code::kDevice);
  EXPECT_EQ(GpuEngine::create({.memory_bytes = std::size_t{1} << 50}, *below), Code::kDevice);
  EXPECT_EQ(GpuEngine::create({.memory_bytes = 1 << 20}, *below), Code::kInvalid);
}

}  // namespace
}  // namespace frond::leaf::gpu
