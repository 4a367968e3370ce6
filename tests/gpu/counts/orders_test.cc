// The first matches by codes of columns and scores, on the GPU: exactly those of all hits of the oracle put in order by
// their keys, for every mode, k, order, place to go on from, size of batch and partitioning, also where documents are
// hidden and have priors.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "leaf/gpu/batch_workspace.h"
#include "leaf/gpu/counts/count_builder.h"
#include "tests/gpu/counts/array_of_codes.h"
#include "tests/gpu/engine/checked_engine.h"

namespace frond::leaf::gpu {
namespace {

using engine::CodeOrder;
using support::HiddenParts, support::IndexedCollection, support::TermNumber;

const engine::Mode kOrderModes[] = {engine::Mode::kAnd, engine::Mode::kOr};
using Place = std::tuple<std::uint64_t, std::uint32_t>;  // key and tie

DocId docid_of(const engine::Plan& plan, Ordinal ordinal) {
  return static_cast<DocId>((ordinal - plan.placement.base) / plan.placement.stride);
}

Place place_of(const engine::Plan& plan, const topk::Hit& hit) {
  const CodeOrder& order = *plan.order;
  const DocId docid = docid_of(plan, hit.ordinal);
  std::uint64_t key = 0;
  for (const engine::CodeKey& one : order.keys) {
    const std::uint64_t code = one.is_score() ? hit.score : static_cast<const ArrayOfCodes&>(*one.codes).of(docid);
    key = engine::with_part(key, one.bits(), one.part(code));
  }
  return {key, order.tie_of(docid)};
}

std::vector<topk::Hit> first_of(const engine::Plan& plan, const engine::Outcome& whole) {
  const CodeOrder& order = *plan.order;
  std::vector<std::pair<Place, std::pair<Ordinal, scoring::Score>>> all;
  for (const topk::Hit& hit : whole.hits) {
    const Place place = place_of(plan, hit);
    if (place >= Place{order.after_key, order.after_tie})
      all.push_back({place, {hit.ordinal, order.has_score() ? hit.score : 0}});
  }
  std::ranges::sort(all);
  all.resize(std::min<std::size_t>(all.size(), plan.k));
  std::vector<topk::Hit> hits;
  for (const auto& [place, hit] : all) hits.push_back({hit.first, hit.second});
  return hits;
}

void expect_first(const std::optional<Result<engine::Outcome>>& got, const Result<engine::Outcome>& whole,
                  const engine::Plan& plan, const std::string& what) {
  ASSERT_TRUE(got && *got) << what;
  const engine::Outcome& outcome = **got;
  ASSERT_EQ(outcome.hits, first_of(plan, *whole)) << what;
  ASSERT_EQ(outcome.matches, whole->matches) << what;
  ASSERT_TRUE(outcome.exact) << what;
  ASSERT_EQ(outcome.counts, counts_of(plan, *whole)) << what;
}

// One to three keys that have 64 bits at most, or none. `whole`: of the scores.
using Column = std::vector<std::shared_ptr<const ArrayOfCodes>>;  // by partition
CodeOrder random_order(support::Random& random, const std::vector<Column>& columns, std::uint32_t partition,
                       const engine::Outcome& whole) {
  CodeOrder order;
  order.last_first = random.below(4) == 0;
  for (std::uint64_t many = random.below(4); many-- > 0;) {
    order.keys.push_back(
        {columns[random.below(columns.size())][partition], random.below(2) == 0, random.below(2) == 0});
    if (random.below(3) == 0 && !order.has_score())
      order.keys.back() = {nullptr, random.below(4) != 0, false, whole.hits.empty() ? 0 : whole.hits.front().score};
    if (order.bits() > CodeOrder::kMostBits) order.keys.pop_back();
  }
  return order;
}

// Behind one of the hits, or at any place.
void go_on_somewhere(support::Random& random, engine::Plan& plan, const engine::Outcome& whole) {
  CodeOrder& order = *plan.order;
  if (whole.hits.empty() || random.below(2) == 0) return;
  const topk::Hit& hit = whole.hits[random.below(whole.hits.size())];
  std::tie(order.after_key, order.after_tie) = place_of(plan, hit);
  if (random.below(3) == 0) order.after_tie = 0;
  if (random.below(5) == 0) ++order.after_key;
}

class OrdersOnGpu : public testing::TestWithParam<Case> {
 protected:
  void expect_agreement(std::string_view codec);
};

void OrdersOnGpu::expect_agreement(std::string_view codec) {
  const Case& c = GetParam();
  const auto collection = support::random_collection(c.seed, c.options);
  const auto oracle = *engine_named("exhaustive");
  support::Random random(c.seed + 1);
  Engine engine;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    if (partitions > c.options.documents / 20) continue;
    IndexedCollection index(collection, {.partitions = partitions, .codec = codec, .bm25 = {}});
    if (partitions != 2)
      index.set_priors(support::random_priors(random, c.options.documents), scoring::kUsualPriorWeight);
    std::vector<Column> columns;
    for (const std::uint64_t codes :
         {1ULL, 2ULL, 256ULL, 257ULL, 65'536ULL, 65'537ULL, 1ULL << 32, 1ULL << 33, 1ULL << 50, ~0ULL})
      columns.push_back(column_of(index, codes, c.seed + codes));
    const std::vector<HiddenParts> generations{HiddenParts(partitions),
                                               index.hidden_parts(support::random_hidden(random, c.options.documents))};
    std::vector<engine::Plan> plans;
    std::vector<Result<engine::Outcome>> wanted;
    std::vector<std::string> told;
    for (int q = 0; q < c.queries; ++q) {
      const auto query = support::random_query(random, collection, q % 10 == 0 ? 12 : q % 3 == 0 ? 1 : 4);
      index.set_hidden(generations[random.below(2)]);
      const auto partition = static_cast<std::uint32_t>(random.below(partitions));
      for (const auto mode : kOrderModes) {
        auto plan = index.plan(partition, query, mode, c.options.documents);
        auto whole = oracle->search(std::span(&plan, 1), kClock)[0];
        const std::uint32_t ks[] = {1, 2, 10, 100, 1000};
        plan.k = ks[random.below(5)];
        plan.order = random_order(random, columns, partition, *whole);
        plan.ranked = plan.order->has_score();
        go_on_somewhere(random, plan, *whole);
        for (std::uint64_t many = random.below(3); many-- > 0;)
          plan.counted.push_back({columns[random.below(5)][partition]});
        if (!fits_counters(plan)) continue;
        plans.push_back(plan);
        wanted.push_back(std::move(whole));
        told.push_back("seed " + std::to_string(c.seed) + ", query " + std::to_string(q) +
                       (mode == engine::Mode::kAnd ? " and" : " or") + ", k " + std::to_string(plan.k) + ", " +
                       std::to_string(plan.order->keys.size()) + " keys, partition " + std::to_string(partition) +
                       " of " + std::to_string(partitions));
      }
    }
    for (std::size_t first = 0; first < plans.size();) {
      const std::size_t size = std::min<std::size_t>(plans.size() - first, 1 + random.below(60));
      const auto got = engine->try_search(std::span(plans).subspan(first, size), kClock);
      for (std::size_t i = 0; i < size; ++i) {
        expect_first(got[i], wanted[first + i], plans[first + i], told[first + i]);
        if (HasFatalFailure()) return;
      }
      first += size;
    }
  }
  EXPECT_EQ(engine->counters().fallbacks, 0u);
}

TEST_P(OrdersOnGpu, AreThoseOfAllHitsOfTheOracle) { expect_agreement({}); }
TEST_P(OrdersOnGpu, AreTheSameForListsOfOtherCodecs) { expect_agreement("rice"); }

INSTANTIATE_TEST_SUITE_P(
    Collections, OrdersOnGpu,
    testing::Values(Case{"Small", 841, {.documents = 40, .terms = 30}, 20},
                    Case{"OneBlock", 842, {.documents = 300, .terms = 60}, 15},
                    Case{"Ordinary", 843, {.documents = 9000, .terms = 120}, 10},
                    Case{"Sparse", 844, {.documents = 40'000, .terms = 150, .most_frequent = 0.08}, 6},
                    Case{"OfTwoTiles", 845, {.documents = 70'000, .terms = 40}, 5}),
    [](const auto& tested) { return tested.param.name; });

class OrdersOfACollection : public testing::Test {
 protected:
  engine::Plan plan(std::uint32_t k, const std::shared_ptr<const ArrayOfCodes>& column) const {
    auto plan = index_.plan(0, std::vector<TermNumber>{0, 1, 2}, engine::Mode::kOr, k);
    plan.ranked = false;
    plan.order = CodeOrder{};
    if (column != nullptr) plan.order->keys.push_back({column});
    return plan;
  }
  Result<engine::Outcome> whole(engine::Plan plan) const {
    plan.order.reset();
    plan.counted.clear();
    plan.ranked = true;
    plan.k = 140'000;
    return (*engine_named("exhaustive"))->search(std::span(&plan, 1), kClock)[0];
  }
  template <class Code>
  static std::shared_ptr<const ArrayOfCodes> column(std::uint64_t codes, const Code& code) {
    std::vector<std::uint64_t> all(140'000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = code(i);
    return std::make_shared<ArrayOfCodes>(std::move(all), codes);
  }
  const support::Collection collection_ =
      support::random_collection(851, {.documents = 140'000, .terms = 8, .most_frequent = 0.9});
  IndexedCollection index_{collection_, {}};
};

// Each document comes before all earlier ones, or all are equal.
TEST_F(OrdersOfACollection, AreRightWhereEveryDocumentIsBetterThanTheLast) {
  Engine engine;
  for (const std::uint32_t k : {1u, 999u, 1000u}) {
    std::vector<engine::Plan> plans;
    plans.push_back(plan(k, column(200'000, [](std::size_t i) { return 199'999 - i; })));
    plans.push_back(plan(k, column(200'000, [](std::size_t i) { return i; })));
    plans.push_back(plan(k, column(2, [](std::size_t) { return 1; })));
    plans.push_back(plan(k, column(1, [](std::size_t) { return 0; })));
    plans.push_back(plan(k, nullptr));
    plans.push_back(plan(k, nullptr));
    plans.back().order->last_first = true;
    const auto all = whole(plans[0]);
    const auto got = engine->try_search(plans, kClock);
    for (std::size_t i = 0; i < plans.size(); ++i)
      expect_first(got[i], all, plans[i], "k " + std::to_string(k) + ", plan " + std::to_string(i));
  }
}

TEST_F(OrdersOfACollection, ComeFromPlansOfDeviceLeasesAndBesideOtherPlans) {
  Engine engine;
  const auto wide = column(1ULL << 40, [](std::size_t i) { return i * 0x9e3779b97f4a7c15ULL >> 24; });
  const auto narrow = column(1000, [](std::size_t i) { return i * 7919 % 1000; });
  auto ordered = plan(10, wide);
  ordered.counted.push_back({narrow});
  auto counted = plan(0, nullptr);
  counted.order.reset();
  counted.counted.push_back({narrow});
  auto ranked = index_.plan(0, std::vector<TermNumber>{0, 1, 2}, engine::Mode::kOr, 10);
  const std::vector<engine::Plan> plans{ordered, counted, ranked, ordered};
  const auto all = whole(ordered);
  const auto got = engine->try_search(plans, kClock);
  expect_first(got[0], all, ordered, "the first");
  expect_first(got[3], all, ordered, "the last");
  EXPECT_EQ((**got[1]).counts, counts_of(counted, *all));
  EXPECT_TRUE((**got[1]).hits.empty());
  EXPECT_TRUE(std::ranges::equal((**got[2]).hits, std::span(all->hits).first(10)));
  for (engine::PlanTerm& term : ordered.terms) {
    term.on_device = engine->cache().find(term.list->key);
    ASSERT_NE(term.on_device, nullptr);
    term.list = nullptr;
  }
  for (const auto& codes : engine::codes_of(ordered))
    ordered.codes_on_device.push_back(engine->cache().find_array(codes->owner()));
  expect_first(engine->try_search(std::span(&ordered, 1), kClock)[0], all, ordered, "of leases");
}

TEST_F(OrdersOfACollection, AreCutIntoLaunchesThatHaveRoom) {
  Engine engine({.memory_bytes = 3 * BatchRunner::kMinBytes, .runners = 1});
  const auto codes = column(1ULL << 33, [](std::size_t i) { return i * 0x9e3779b97f4a7c15ULL >> 31; });
  std::vector<engine::Plan> plans;
  for (std::uint32_t k = 700; k <= 1000; k += 10) plans.push_back(plan(k, codes));
  const auto all = whole(plans[0]);
  const auto got = engine->try_search(plans, kClock);
  for (std::size_t i = 0; i < plans.size(); ++i) expect_first(got[i], all, plans[i], "plan " + std::to_string(i));
}

TEST_F(OrdersOfACollection, AreLeftOutWhereKeysHaveTooManyBitsOrThereAreTooManyHits) {
  Engine engine;
  const auto codes = column(1ULL << 33, [](std::size_t i) { return i; });
  auto wide = plan(10, codes);
  wide.order->keys.push_back({codes});
  auto many = plan(kMaxHits + 1, codes), none = plan(0, codes);
  for (const engine::Plan& plan : {wide, many, none}) {
    EXPECT_FALSE(fits_counters(plan));
    EXPECT_FALSE(engine->try_search(std::span(&plan, 1), kClock)[0]);
  }
}

TEST(RoomForOrders, IsThereForAQueryOfTheLargestPartition) {
  const auto space = BatchWorkspace::create(0, BatchWorkspace::kMinBytes, 0);
  ASSERT_TRUE(space) << space.error().message();
  for (const Orders orders : {Orders::kByColumns, Orders::kByScores}) {
    const auto pieces = [orders](std::uint32_t queries) { return pieces_of(queries, kNoDoc / 2, orders).pieces; };
    EXPECT_TRUE(space->has_room(kMaxCounters, orders, 1, pieces(1), kMaxHits));
    EXPECT_FALSE(space->has_room(kMaxCounters, orders, 512, pieces(512), kMaxHits));
  }
}

}  // namespace
}  // namespace frond::leaf::gpu
