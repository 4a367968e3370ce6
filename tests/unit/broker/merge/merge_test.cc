#include "broker/merge/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace frond::broker::merge {
namespace {
using topk::Hit;

wire::Ranking ranking(std::vector<Hit> hits, std::uint64_t matches, bool exact = true) {
  return {std::move(hits), matches, exact};
}
wire::SearchReply and_reply(wire::Ranking found) {
  wire::SearchReply reply;
  reply.has_and = true;
  reply.and_ranking = std::move(found);
  return reply;
}
wire::SearchReply or_reply(wire::Ranking found) {
  wire::SearchReply reply;
  reply.has_or = true;
  reply.or_ranking = std::move(found);
  return reply;
}
wire::SearchReply both(wire::Ranking all, wire::Ranking any) {
  auto reply = and_reply(std::move(all));
  reply.has_or = true;
  reply.or_ranking = std::move(any);
  return reply;
}
wire::SearchRequest request(wire::Mode mode, std::uint32_t depth, std::uint32_t needs = 10) {
  wire::SearchRequest out;
  out.mode = mode;
  out.depth = depth;
  out.auto_needs = needs;
  return out;
}
std::vector<Ordinal> ordinals(const Merged& merged) {
  std::vector<Ordinal> out;
  for (const auto& hit : merged.page) out.push_back(hit.hit.ordinal);
  return out;
}

TEST(Merge, OrdersByScoreThenOrdinalAcrossReplies) {
  const std::vector replies = {or_reply(ranking({{1, 9}, {5, 7}}, 2)), or_reply(ranking({{2, 9}, {4, 7}, {0, 1}}, 3))};
  const Merged merged = merge(request(wire::Mode::kOr, 10), replies, 0);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{1, 2, 4, 5, 0}));
  EXPECT_EQ(merged.page[1].source, 1u);
  EXPECT_EQ(merged.total, 5u);
  EXPECT_TRUE(merged.total_exact);
}
TEST(Merge, OrdersByOrdinalAndAddsUpWithoutRanking) {
  auto asked = request(wire::Mode::kOr, 4);
  asked.rank = wire::Rank::kNone;
  const std::vector replies = {or_reply(ranking({{1, 0}, {5, 0}, {7, 0}}, 300)),
                               or_reply(ranking({{2, 0}, {4, 0}, {8, 0}}, 200))};
  for (const auto& reply : replies) EXPECT_TRUE(check(asked, reply));
  const Merged merged = merge(asked, replies, 0);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{1, 2, 4, 5}));
  EXPECT_EQ(merged.total, 500u);
  EXPECT_TRUE(merged.total_exact);
  asked.depth = 0;
  const std::vector counts = {or_reply(ranking({}, 300)), or_reply(ranking({}, 200))};
  EXPECT_EQ(merge(asked, counts, 0).total, 500u);
  EXPECT_TRUE(merge(asked, counts, 0).page.empty());
}
TEST(Merge, RefusesScoresAndLowerBoundsWithoutRanking) {
  auto asked = request(wire::Mode::kOr, 4);
  asked.rank = wire::Rank::kNone;
  EXPECT_FALSE(check(asked, or_reply(ranking({{1, 9}}, 1))));
  EXPECT_FALSE(check(asked, or_reply(ranking({{5, 0}, {1, 0}}, 2))));
  EXPECT_FALSE(check(asked, or_reply(ranking({{1, 0}}, 1, false))));
  asked.rank = wire::Rank::kScore;
  EXPECT_TRUE(check(asked, or_reply(ranking({{1, 9}}, 1, false))));
}
TEST(Merge, CutsThePageOutOfTheRanking) {
  const std::vector replies = {or_reply(ranking({{1, 9}, {3, 5}}, 2)), or_reply(ranking({{2, 8}, {4, 4}}, 2, false))};
  const Merged merged = merge(request(wire::Mode::kOr, 3), replies, 1);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{2, 3}));
  EXPECT_FALSE(merged.total_exact);
  EXPECT_TRUE(merge(request(wire::Mode::kOr, 30), replies, 20).page.empty());
}
TEST(Merge, IsNothingWithoutReplies) {
  const Merged merged = merge(request(wire::Mode::kAuto, 10), {}, 0);
  EXPECT_TRUE(merged.page.empty());
  EXPECT_EQ(merged.total, 0u);
}
TEST(Merge, TakesAndWhereTheWholeGenerationYieldsEnough) {
  // Neither leaf alone has three; together they do.
  const std::vector replies = {both(ranking({{1, 9}}, 1), ranking({{7, 8}}, 50)),
                               both(ranking({{2, 5}, {4, 4}}, 2), ranking({{2, 5}}, 60))};
  EXPECT_EQ(merge(request(wire::Mode::kAuto, 3, 3), replies, 0).mode_used, wire::Mode::kAnd);
  EXPECT_EQ(merge(request(wire::Mode::kAuto, 3, 3), replies, 0).total, 3u);
  const Merged any = merge(request(wire::Mode::kAuto, 4, 4), replies, 0);
  EXPECT_EQ(any.mode_used, wire::Mode::kOr);
  EXPECT_EQ(ordinals(any), (std::vector<Ordinal>{7, 2}));
}
TEST(Merge, TakesTheSameModeForEveryPageOfAQuery) {
  const std::vector replies = {both(ranking({{1, 9}, {2, 8}, {3, 7}}, 3), ranking({{1, 9}, {9, 8}, {2, 8}}, 90))};
  for (std::uint32_t offset : {0u, 2u, 40u})
    EXPECT_EQ(merge(request(wire::Mode::kAuto, offset + 3, 3), replies, offset).mode_used, wire::Mode::kAnd);
}
TEST(Merge, GivesTheSamePageHoweverTheHitsAreSpread) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<Hit> all;
    for (Ordinal ordinal = 0; ordinal < 300; ++ordinal)
      if (random() % 3 == 0) all.push_back({ordinal, 1 + static_cast<topk::Score>(random() % 8)});
    std::sort(all.begin(), all.end(), topk::better);
    const std::size_t leaves = 1 + random() % 7;
    std::vector<wire::SearchReply> replies(leaves);
    for (auto& reply : replies) reply.has_or = true;
    for (const Hit& hit : all) {
      auto& to = replies[random() % leaves].or_ranking;
      ++to.matches;
      if (to.hits.size() < 40) to.hits.push_back(hit);
    }
    const Merged merged = merge(request(wire::Mode::kOr, 40), replies, 15);
    ASSERT_EQ(merged.total, all.size()) << "seed " << seed;
    ASSERT_EQ(merged.page.size(), 25u) << "seed " << seed;
    for (std::size_t i = 0; i < merged.page.size(); ++i) ASSERT_EQ(merged.page[i].hit, all[15 + i]) << "seed " << seed;
  }
}
TEST(Merge, TakesADocumentOnceThatTwoRepliesHave) {
  const std::vector replies = {or_reply(ranking({{1, 9}, {4, 5}}, 2)), or_reply(ranking({{1, 9}, {2, 7}, {4, 5}}, 3))};
  EXPECT_EQ(ordinals(merge(request(wire::Mode::kOr, 10), replies, 0)), (std::vector<Ordinal>{1, 2, 4}));
  EXPECT_EQ(ordinals(merge(request(wire::Mode::kOr, 3), replies, 1)), (std::vector<Ordinal>{2, 4}));
}

TEST(ReplyCheck, RefusesWhatALeafMustNotSay) {
  const auto any = request(wire::Mode::kOr, 2), all = request(wire::Mode::kAnd, 2),
             choose = request(wire::Mode::kAuto, 2, 2);
  EXPECT_TRUE(check(any, or_reply(ranking({{1, 9}, {2, 9}}, 7))));
  EXPECT_EQ(check(any, or_reply(ranking({{1, 9}, {2, 9}, {3, 1}}, 7))), Code::kCorrupt) << "too many";
  EXPECT_EQ(check(any, or_reply(ranking({{2, 9}, {1, 9}}, 7))), Code::kCorrupt) << "order";
  EXPECT_EQ(check(any, or_reply(ranking({{1, 9}, {1, 9}}, 7))), Code::kCorrupt) << "twice";
  EXPECT_EQ(check(any, or_reply(ranking({{1, 9}, {2, 8}}, 1))), Code::kCorrupt) << "fewer matches than hits";
  EXPECT_EQ(check(any, and_reply({})), Code::kCorrupt) << "not what was asked";
  EXPECT_EQ(check(all, or_reply({})), Code::kCorrupt);
  EXPECT_TRUE(check(choose, and_reply(ranking({}, 2))));
  EXPECT_EQ(check(choose, and_reply(ranking({}, 1))), Code::kCorrupt) << "AND is short and OR is not there";
}
}  // namespace
}  // namespace frond::broker::merge
