// Hits in an order of their own, and facets, when leaves fail or send what cannot be.
#include "tests/support/query_schema.h"
#include "tests/unit/broker/scatter/search_fixture.h"

namespace frond::broker::scatter {
namespace {

class ASortedSearch : public ASearch {
 protected:
  void start_sorted(std::uint32_t k = 10) {
    SearchPlan plan;
    plan.topology = cluster.map.topology();
    plan.request.mode = wire::Mode::kOr;
    plan.request.clause = R"({"all":{}})";
    plan.request.sort = "year:asc:last";
    plan.request.facets = R"({"tag":{"values":{"field":"tag","size":10}}})";
    plan.k = k;
    plan.explain = explain;
    plan.arrangement = {*frond::query::parse_sort(plan.request.sort), *frond::query::parse_facets("tag"), max_buckets,
                        std::make_shared<const schema::Schema>(support::query_schema())};
    running = search(context, std::move(plan), Deadline::after(cluster.clock, std::chrono::seconds(1)),
                     [this](merge::Page done) { page = std::move(done); });
  }
  std::size_t max_buckets = 100;
  // Each document's year is its ordinal. `matches`: at least the hits.
  static wire::SearchReply sorted(const std::vector<Ordinal>& ordinals, std::uint64_t matches = 0,
                                  std::vector<wire::UnsearchedPartition> unsearched = {}) {
    wire::SearchReply reply;
    reply.has_or = true;
    reply.or_ranking.matches = std::max<std::uint64_t>(matches, ordinals.size());
    for (const Ordinal ordinal : ordinals) {
      reply.or_ranking.hits.push_back({ordinal, 0});
      const auto key = schema::ordering_key(schema::FieldType::kInteger, static_cast<std::int64_t>(ordinal));
      frond::query::SortBytes::add_number({.field = "year"}, key, reply.or_ranking.sort_bytes.emplace_back());
    }
    reply.facets.push_back({.with_value = ordinals.size(), .missing = 1, .words = {"x"}, .counts = {ordinals.size()}});
    if (ordinals.empty()) reply.facets[0] = {.missing = 1};
    reply.unsearched = std::move(unsearched);
    return reply;
  }
};

TEST_F(ASortedSearch, MergesHitsAndCountsOfAllLeaves) {
  start_sorted(3);
  leaf(0).searches.answer(sorted({1, 4}, 2));
  leaf(2).searches.answer(sorted({2, 5}, 9));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 d2 d4 ");
  EXPECT_EQ(page->total.value, 11u);
  ASSERT_TRUE(page->last);
  EXPECT_EQ(page->last->ordinal, 4u);
  EXPECT_EQ(page->last->bytes, page->hits.back().sort_bytes);
  ASSERT_EQ(page->facets.size(), 1u);
  EXPECT_EQ(page->facets[0].counts, std::vector<std::uint64_t>{4});
  EXPECT_EQ(page->facets[0].missing, 2u);
}
TEST_F(ASortedSearch, LetsOthersHaveTheirTurnWhileItMergesManyBuckets) {
  no_replica();
  max_buckets = 100'000;
  for (const bool late : {false, true}) {
    page.reset();
    start_sorted(3);
    for (std::size_t i : {0, 2}) {
      auto many = sorted({i});
      many.facets[0].words.clear();
      for (int word = 0; word < 40'000; ++word)
        many.facets[0].words.push_back(std::to_string(100'000 + 10'000 * i + word));
      many.facets[0].counts.assign(40'000, 1);
      leaf(i).searches.answer(std::move(many));
    }
    fetch_all();
    EXPECT_FALSE(page) << "it has merged a part";
    int turns = 0;
    if (late) cluster.clock.advance(std::chrono::seconds(1));
    for (; !page && turns < 100; ++turns) {
      bool others = false;
      cluster.timers.after(std::chrono::microseconds(0), [&] { others = true; });
      cluster.advance(std::chrono::microseconds(1));
      EXPECT_TRUE(others);
    }
    ASSERT_TRUE(page);
    EXPECT_EQ(turns > 1, !late);
    EXPECT_EQ(page->facets[0].different, late ? 0u : 60'000u);
    EXPECT_EQ(ids(), late ? "" : "d0 d2 ");
    EXPECT_EQ(unsearched(), late ? "0:deadline 1:deadline 2:deadline " : "");
  }
}
TEST_F(ASortedSearch, GivesUpWhileItMergesManyBuckets) {
  max_buckets = 100'000;
  start_sorted(3);
  auto many = sorted({0});
  many.facets[0].words.clear();
  for (int word = 0; word < 40'000; ++word) many.facets[0].words.push_back(std::to_string(100'000 + word));
  many.facets[0].counts.assign(40'000, 1);
  leaf(0).searches.answer(std::move(many));
  leaf(2).searches.answer(sorted({}));
  fetch_all();
  running->abandon();
  cluster.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(page);
}
TEST_F(ASortedSearch, NamesNoPlaceBehindHitsThatCouldNotBeFetched) {
  start_sorted(3);
  leaf(0).searches.answer(sorted({1, 4}, 2));
  leaf(2).searches.answer(sorted({2, 5}, 9));
  leaf(2).fetches.answer(Error(Code::kOverloaded, "the documents are too large for one reply"));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 d4 ");
  EXPECT_EQ(unsearched(), "2:overloaded ");
  EXPECT_FALSE(page->last) << "who goes on behind 4 never sees 2";
}
TEST_F(ASortedSearch, AsksForExplanationsOfTheClauseAlone) {
  explain = true;
  start_sorted(3);
  leaf(0).searches.answer(sorted({1}));
  leaf(2).searches.answer(sorted({2}));
  const auto asked = leaf(2).fetches.last().explain;
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->clause, R"({"all":{}})");
  EXPECT_EQ(asked->sort, "");
  EXPECT_EQ(asked->facets, "");
  EXPECT_FALSE(asked->after);
  EXPECT_EQ(asked->show.count, 0u);
  fetch_all();
  ASSERT_TRUE(page);
}
TEST_F(ASortedSearch, LeavesOutHitsOfUnsearchedPartitionsWithTheirBytes) {
  start_sorted();
  leaf(0).searches.answer(sorted({1, 3, 4}, 3, {{1, wire::UnsearchedReason::kCorrupt}}));
  leaf(1).searches.answer(sorted({1, 4, 7}));
  leaf(2).searches.answer(sorted({}));
  fetch_all();
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(), "d1 d3 d4 d7 ");
  EXPECT_TRUE(page->whole());
}
TEST_F(ASortedSearch, TurnsToAnotherLeafWhereBytesOrCountsCannotBe) {
  for (const bool counts : {false, true}) {
    page.reset();
    start_sorted();
    auto wrong = sorted({0, 1});
    if (counts)
      wrong.facets[0].words[0] = std::string(2000, 'x');
    else
      wrong.or_ranking.sort_bytes[1] += "x";
    leaf(0).searches.answer(wrong);
    leaf(1).searches.answer(sorted({0, 1}));
    leaf(2).searches.answer(sorted({2}));
    fetch_all();
    ASSERT_TRUE(page);
    EXPECT_EQ(ids(), "d0 d1 d2 ");
    EXPECT_FALSE(page->last) << "no hit follows";
    greet();
  }
}

}  // namespace
}  // namespace frond::broker::scatter
