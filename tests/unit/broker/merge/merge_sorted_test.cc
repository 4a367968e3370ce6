// Rankings by an order of their own from several leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "broker/merge/merge.h"
#include "tests/support/query_schema.h"

namespace frond::broker::merge {
namespace {

Arrangement arranged(std::string_view sort, std::string_view facets = "") {
  Arrangement made{
      *frond::query::parse_sort(sort), {}, 100, std::make_shared<const schema::Schema>(support::query_schema())};
  if (!facets.empty()) made.facets = *bind_facets(*frond::query::parse_facets(facets), *made.schema, "facets");
  return made;
}
wire::SearchRequest asking(const Arrangement& arrangement, std::uint32_t depth) {
  wire::SearchRequest request;
  request.mode = wire::Mode::kOr;
  request.depth = depth;
  request.sort = sort_text(arrangement.order);
  return request;
}

// By year alone.
void add_hit(const Arrangement& arrangement, Ordinal ordinal, std::int64_t year, wire::SearchReply& to) {
  to.has_or = true;
  to.or_ranking.hits.push_back({ordinal, 0});
  std::string bytes;
  frond::query::SortBytes::add_number(arrangement.order[0], schema::ordering_key(schema::FieldType::kInteger, year),
                                      bytes);
  to.or_ranking.sort_bytes.push_back(bytes);
  ++to.or_ranking.matches;
}

TEST(MergeSorted, GivesThePagesOfOneOrderHoweverHitsAreSpread) {
  std::mt19937 random(5);
  for (const char* sort : {"year", "year:desc"}) {
    const auto arrangement = arranged(sort);
    std::vector<std::pair<std::int64_t, Ordinal>> all;
    for (Ordinal i = 0; i < 50; ++i) all.emplace_back(random() % 7, i);
    const bool down = arrangement.order[0].descending;
    std::ranges::sort(all, [&](const auto& a, const auto& b) {
      return a.first != b.first ? (a.first < b.first) != down : a.second < b.second;
    });
    for (std::uint32_t offset : {0, 7, 45, 60}) {
      const auto request = asking(arrangement, offset + 10);
      std::vector<wire::SearchReply> replies(3);
      for (auto& reply : replies) reply.has_or = true;
      for (const auto& [year, ordinal] : all) {
        auto& reply = replies[ordinal % 3];
        if (reply.or_ranking.hits.size() < request.depth)
          add_hit(arrangement, ordinal, year, reply);
        else
          ++reply.or_ranking.matches;
      }
      for (const auto& reply : replies) {
        const auto sound = check(request, reply, arrangement);
        EXPECT_TRUE(sound) << sound.error().message();
      }
      const Merged merged = merge(request, replies, offset);
      EXPECT_EQ(merged.total, (Count{50, true}));
      EXPECT_EQ(merged.page.size(), std::min<std::size_t>(10, 50 - std::min(offset, 50u)));
      for (std::size_t i = 0; i < merged.page.size(); ++i) {
        EXPECT_EQ(merged.page[i].hit.ordinal, all[offset + i].second);
        const auto& hits = replies[merged.page[i].source].or_ranking;
        EXPECT_NE(std::ranges::find(hits.sort_bytes, merged.page[i].sort_bytes), hits.sort_bytes.end());
      }
      EXPECT_EQ(merged.more, offset + 10 < 50);
    }
  }
}

TEST(MergeSorted, KnowsBehindAPositionWhetherMoreFollow) {
  const auto arrangement = arranged("year");
  auto request = asking(arrangement, 3);  // two hits of the page
  wire::SearchReply before;
  add_hit(arrangement, 4, 1999, before);
  request.after = frond::query::SortPosition{before.or_ranking.sort_bytes[0], 4};
  for (const std::size_t hits : {0, 1, 2, 3}) {
    std::vector<wire::SearchReply> replies(2);
    for (auto& reply : replies) reply.has_or = true;
    for (std::size_t i = 0; i < hits; ++i) add_hit(arrangement, 5 + i, 1999, replies[i % 2]);
    for (auto& reply : replies) reply.or_ranking.matches = 10;
    EXPECT_TRUE(check(request, replies[0], arrangement));
    const Merged merged = merge(request, replies, 0);
    EXPECT_EQ(merged.page.size(), std::min<std::size_t>(hits, 2));
    EXPECT_EQ(merged.more, hits == 3);
    EXPECT_EQ(merged.total.value, 20);
  }
}

TEST(MergeSorted, RefusesHitsThatCannotBe) {
  const auto arrangement = arranged("year,_score,_order");
  auto request = asking(arrangement, 10);
  const auto reply_of = [&](auto change) {
    wire::SearchReply reply;
    for (const Ordinal ordinal : {3, 7}) {
      add_hit(arrangement, ordinal, 2000, reply);
      auto& bytes = reply.or_ranking.sort_bytes.back();
      reply.or_ranking.hits.back().score = 9;
      frond::query::SortBytes::add_score(arrangement.order[1], 9, bytes);
      frond::query::SortBytes::add_order(arrangement.order[2], ordinal, bytes);
    }
    change(reply.or_ranking);
    return reply;
  };
  EXPECT_TRUE(check(request, reply_of([](wire::Ranking&) {}), arrangement));
  const auto refused = [&](auto change) { return check(request, reply_of(change), arrangement) == Code::kCorrupt; };
  EXPECT_TRUE(refused([](wire::Ranking& ranking) { ranking.sort_bytes.clear(); }));
  EXPECT_TRUE(refused([](wire::Ranking& ranking) { ranking.sort_bytes[0] += 'x'; }));
  EXPECT_TRUE(refused([](wire::Ranking& ranking) { ranking.hits[0].score = 8; }));
  EXPECT_TRUE(refused([](wire::Ranking& ranking) { ranking.hits[0].ordinal = 4; }));
  EXPECT_TRUE(refused([](wire::Ranking& ranking) {
    std::swap(ranking.hits[0], ranking.hits[1]);
    std::swap(ranking.sort_bytes[0], ranking.sort_bytes[1]);
  }));
  const auto sound = reply_of([](wire::Ranking&) {});
  request.after = frond::query::SortPosition{sound.or_ranking.sort_bytes[0], 3};
  EXPECT_EQ(check(request, sound, arrangement), Code::kCorrupt) << "the position itself";
  EXPECT_EQ(check(asking({}, 10), sound), Code::kCorrupt) << "no order was asked for";
  auto by_year = reply_of([](wire::Ranking&) {});
  for (auto& bytes : by_year.or_ranking.sort_bytes) bytes.resize(9);
  EXPECT_EQ(check(asking(arranged("year"), 10), by_year, arranged("year")), Code::kCorrupt) << "scores";
}

TEST(MergeSorted, RefusesCountsThatCannotBe) {
  const auto arrangement = arranged("year", "tag:5");
  wire::SearchReply reply;
  reply.has_or = true;
  reply.facets.push_back({.with_value = 2, .words = {"a", "b"}, .counts = {1, 2}});
  EXPECT_TRUE(check(asking(arrangement, 10), reply, arrangement));
  reply.facets[0].counts[0] = 3;
  EXPECT_EQ(check(asking(arrangement, 10), reply, arrangement), Code::kCorrupt);
  reply.facets.clear();
  EXPECT_EQ(check(asking(arrangement, 10), reply, arrangement), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::broker::merge
