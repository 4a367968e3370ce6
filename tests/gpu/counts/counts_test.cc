// Counts of what matches have in columns, on the GPU: exactly those of all hits of the oracle, for every mode, k, size
// of batch and partitioning, also where documents are hidden, and the hits beside them as without counts.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/gpu/counts/array_of_codes.h"
#include "tests/gpu/engine/checked_engine.h"

namespace frond::leaf::gpu {
namespace {

using support::HiddenParts, support::IndexedCollection, support::TermNumber;

const engine::Mode kModes[] = {engine::Mode::kAnd, engine::Mode::kOr};

// Codes for themselves, between a few bounds, or summed up.
engine::CountedCodes counted_by(support::Random& random, std::shared_ptr<const ArrayOfCodes> codes) {
  engine::CountedCodes counted{codes};
  if (random.below(4) == 0) {
    counted.sums = true;
    return counted;
  }
  if (codes->codes() > 65'536 || random.below(3) == 0) {
    std::set<std::uint64_t> bounds{1};
    for (std::uint64_t many = random.below(20); many-- > 0;) bounds.insert(random.next() % codes->codes());
    counted.bounds.assign(bounds.begin(), bounds.end());
  }
  return counted;
}

void expect_same_counts(const std::optional<Result<engine::Outcome>>& got, const Result<engine::Outcome>& whole,
                        const engine::Plan& plan, const std::string& what) {
  ASSERT_TRUE(got && *got) << what;
  const engine::Outcome& outcome = **got;
  auto hits = whole->hits;
  hits.resize(std::min<std::size_t>(plan.k, hits.size()));
  ASSERT_EQ(outcome.hits, hits) << what;
  ASSERT_EQ(outcome.matches, whole->matches) << what;
  ASSERT_TRUE(outcome.exact) << what;
  ASSERT_EQ(outcome.counts, counts_of(plan, *whole)) << what;
}

class CountsOnGpu : public testing::TestWithParam<Case> {
 protected:
  void expect_agreement(std::string_view codec);
};

void CountsOnGpu::expect_agreement(std::string_view codec) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  support::Random random(c.seed + 1);
  Engine engine;
  std::map<std::vector<std::uint32_t>, std::vector<std::vector<std::uint32_t>>> by_query;
  for (const std::uint32_t partitions : {1u, 3u}) {
    IndexedCollection index(collection, {.partitions = partitions, .codec = codec, .bm25 = {}});
    std::vector<std::vector<std::shared_ptr<const ArrayOfCodes>>> columns;
    for (const std::uint32_t codes : {2u, 256u, 257u, 1001u, 5000u, 65'536u})
      columns.push_back(column_of(index, codes, c.seed + codes));
    for (const std::uint64_t codes : {1ULL << 20, 1ULL << 40, ~0ULL})
      columns.push_back(column_of(index, codes, c.seed + codes));
    for (const std::uint64_t codes : {3u, 300u, 65'536u})
      columns.push_back(column_of_several(index, codes, c.seed + codes));
    const std::vector<HiddenParts> generations{HiddenParts(partitions),
                                               index.hidden_parts(support::random_hidden(random, c.options.documents))};
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (int q = 0; q < c.queries; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : q % 3 == 0 ? 1 : 4);
      index.set_hidden(generations[random.below(2)]);
      for (std::uint32_t partition = 0; partition < partitions; ++partition)
        for (const auto mode : kModes) {
          auto plan = index.plan(partition, query, mode, c.options.documents);
          plan.ranked = random.below(3) != 0;
          wanted.push_back(oracle->search(std::span(&plan, 1), kClock)[0]);
          const std::uint32_t ks[] = {0, 0, 1, 10, 1000};
          plan.k = ks[random.below(5)];
          for (std::uint64_t many = 1 + random.below(3); many-- > 0;)
            plan.counted.push_back(counted_by(random, columns[random.below(columns.size())][partition]));
          told.push_back("seed " + std::to_string(c.seed) + ", query " + std::to_string(q) +
                         (mode == engine::Mode::kAnd ? " and" : " or") + ", k " + std::to_string(plan.k) +
                         ", partition " + std::to_string(partition) + " of " + std::to_string(partitions));
          if (!fits_counters(plan) || (plan.k > 0 && !fits_kernels(plan))) {
            wanted.pop_back();
            told.pop_back();
            continue;
          }
          plans.push_back(plan);
        }
    }
    for (std::size_t first = 0; first < plans.size();) {
      const std::size_t size = std::min<std::size_t>(plans.size() - first, 1 + random.below(60));
      const auto got = engine->try_search(std::span(plans).subspan(first, size), kClock);
      for (std::size_t i = 0; i < size; ++i) {
        if (!got[i] && plans[first + i].k > 0) continue;  // thousands of equal scores
        expect_same_counts(got[i], wanted[first + i], plans[first + i], told[first + i]);
        if (HasFatalFailure()) return;
      }
      first += size;
    }
  }
  const auto counted = engine->counters();
  EXPECT_EQ(counted.fallbacks, counted.unanswered);
}

TEST_P(CountsOnGpu, AreThoseOfAllHitsOfTheOracle) { expect_agreement({}); }
TEST_P(CountsOnGpu, AreTheSameForListsOfOtherCodecs) { expect_agreement("rice"); }

INSTANTIATE_TEST_SUITE_P(
    Collections, CountsOnGpu,
    testing::Values(Case{"Small", 821, {.documents = 40, .terms = 30}, 20},
                    Case{"OneBlock", 822, {.documents = 300, .terms = 60}, 15},
                    Case{"Ordinary", 823, {.documents = 9000, .terms = 120}, 10},
                    Case{"Sparse", 824, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, 6},
                    Case{"OfTwoTiles", 825, {.documents = 70'000, .terms = 40}, 6}),
    [](const auto& tested) { return tested.param.name; });

class CountsOfACollection : public testing::Test {
 protected:
  engine::Plan plan(std::uint32_t codes, std::uint32_t k = 0) const {
    auto plan = index_.plan(0, std::vector<TermNumber>{0, 1}, engine::Mode::kOr, k);
    plan.counted.push_back({column_of(index_, codes, 7)[0]});
    return plan;
  }
  Result<engine::Outcome> whole(engine::Plan plan) const {
    plan.k = 10'000;
    return (*engine_named("exhaustive"))->search(std::span(&plan, 1), kClock)[0];
  }
  const support::Collection collection_ = support::random_collection(831, {.documents = 9000, .terms = 60});
  IndexedCollection index_{collection_, {}};
};

TEST_F(CountsOfACollection, ComeFromPlansOfDeviceLeases) {
  Engine engine;
  const auto of_lists = plan(1000, 10);
  EXPECT_EQ(engine->cache().find_array(of_lists.counted[0].codes->owner()), nullptr);
  expect_same_counts(engine->try_search(std::span(&of_lists, 1), kClock)[0], whole(of_lists), of_lists, "of lists");
  auto of_leases = of_lists;
  for (engine::PlanTerm& term : of_leases.terms) {
    term.on_device = engine->cache().find(term.list->key);
    ASSERT_NE(term.on_device, nullptr);
    term.list = nullptr;
  }
  of_leases.codes_on_device = {engine->cache().find_array(of_lists.counted[0].codes->owner())};
  ASSERT_NE(of_leases.codes_on_device[0], nullptr);
  expect_same_counts(engine->try_search(std::span(&of_leases, 1), kClock)[0], whole(of_lists), of_lists, "of leases");
}

TEST_F(CountsOfACollection, HaveRoomForColumnsWhateverSequencesTake) {
  const auto below = *engine_named("cpu");
  const auto engine = *GpuEngine::create(
      {.memory_bytes = 2 * BatchRunner::kMinBytes, .runners = 1, .copying = DeviceCache::Copying::kByTheCaller},
      *below);
  const std::size_t most = engine->list_bytes() / 4;
  const auto warm = [&](std::size_t bytes, bool sequences) {
    const auto codes = std::make_shared<ArrayOfCodes>(std::vector<std::uint64_t>(bytes), 256);
    auto arrays = plan(1000);
    arrays.terms.clear();
    arrays.counted.clear();  // where codes go, what was refused may be asked for again
    if (sequences)
      arrays.phrase.emplace().sequences = codes;
    else
      arrays.counted = {{codes}};
    EXPECT_TRUE(engine->cache().warm(arrays, {}));
    return codes;
  };
  const auto has = [&](const auto& codes) { return engine->cache().find_array(codes->owner()) != nullptr; };
  const auto large = warm(most / 10 * 9, true), too_large = warm(most / 10 * 2, true), small = warm(most / 20, true);
  EXPECT_TRUE(has(large));
  EXPECT_FALSE(has(too_large));
  EXPECT_TRUE(engine->cache().has_no_room_for(too_large->owner()));
  EXPECT_TRUE(has(small));
  const auto column = warm(most / 10 * 9, false), another = warm(most / 10 * 2, false);
  EXPECT_TRUE(has(column));
  EXPECT_FALSE(has(another));
}

TEST_F(CountsOfACollection, AreTheCpusWhereAColumnFindsNoRoom) {
  const auto below = *engine_named("cpu");
  const auto engine = *GpuEngine::create(
      {.memory_bytes = 2 * BatchRunner::kMinBytes, .runners = 1, .copying = DeviceCache::Copying::kByTheCaller},
      *below);
  // A column of 16 million documents takes more than a quarter of what the workspace leaves; so do many small ones.
  auto large = plan(1000);
  large.counted = {{std::make_shared<ArrayOfCodes>(std::vector<std::uint64_t>(16'000'000), 1000)}};
  engine::BatchTimes times;
  times.no_room.resize(1);
  EXPECT_FALSE(engine->try_search(std::span(&large, 1), kClock, &times)[0]);
  EXPECT_TRUE(times.no_room[0]);
  EXPECT_TRUE(engine->cache().has_no_room_for(large));
  std::vector<engine::Plan> held;
  bool full = false;
  for (int i = 0; i < 100 && !full; ++i) {
    held.push_back(plan(1000));
    held.back().counted = {{std::make_shared<ArrayOfCodes>(std::vector<std::uint64_t>(500'000), 1000)}};
    full = !engine->try_search(std::span(&held.back(), 1), kClock)[0];
  }
  EXPECT_TRUE(full);
  EXPECT_LE(held.size() * held[0].counted[0].codes->bytes(),
            engine->list_bytes() / 4 + held[0].counted[0].codes->bytes());
  held.clear();  // nobody needs the columns any more, so there is room for others
  const auto small = plan(1000);
  expect_same_counts(engine->try_search(std::span(&small, 1), kClock)[0], whole(small), small, "after the others");
}

TEST_F(CountsOfACollection, AreExactTotalsOfRankedPlansIfAsked) {
  Engine engine;
  support::Random random(832);
  const std::vector<HiddenParts> generations{HiddenParts(1), index_.hidden_parts(support::random_hidden(random, 9000))};
  for (int q = 0; q < 40; ++q) {
    index_.set_hidden(generations[random.below(2)]);
    auto plan = index_.plan(0, support::random_query(random, collection_, 5), kModes[q % 2], 10);
    plan.exact_matches = true;
    if (!fits_kernels(plan)) continue;
    const auto got = engine->try_search(std::span(&plan, 1), kClock)[0];
    if (got) expect_same_counts(got, whole(plan), plan, "seed 832, query " + std::to_string(q));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(engine->counters().fallbacks, engine->counters().unanswered);
}

TEST_F(CountsOfACollection, AreLeftOutWhereThereAreTooManyCounters) {
  Engine engine;
  auto plan = this->plan(65'536);
  for (int i = 0; i < 4; ++i) plan.counted.push_back(plan.counted[0]);
  EXPECT_FALSE(fits_counters(plan));
  EXPECT_FALSE(engine->try_search(std::span(&plan, 1), kClock)[0]);
  plan.counted.pop_back();
  EXPECT_TRUE(fits_counters(plan));
  expect_same_counts(engine->try_search(std::span(&plan, 1), kClock)[0], whole(plan), plan, "four columns");
}

}  // namespace
}  // namespace frond::leaf::gpu
