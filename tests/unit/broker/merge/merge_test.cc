#include "broker/merge/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

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
  EXPECT_EQ(merged.total.value, 5u);
  EXPECT_TRUE(merged.total.exact);
}
TEST(Merge, OrdersByOrdinalAndAddsUpWithoutRanking) {
  auto asked = request(wire::Mode::kOr, 4);
  asked.rank = wire::Rank::kNone;
  const std::vector replies = {or_reply(ranking({{1, 0}, {5, 0}, {7, 0}}, 300)),
                               or_reply(ranking({{2, 0}, {4, 0}, {8, 0}}, 200))};
  for (const auto& reply : replies) EXPECT_TRUE(check(asked, reply));
  const Merged merged = merge(asked, replies, 0);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{1, 2, 4, 5}));
  EXPECT_EQ(merged.total.value, 500u);
  EXPECT_TRUE(merged.total.exact);
  asked.depth = 0;
  const std::vector counts = {or_reply(ranking({}, 300)), or_reply(ranking({}, 200))};
  EXPECT_EQ(merge(asked, counts, 0).total.value, 500u);
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
TEST(Merge, CountsAnyWordsWhereTheTotalIsToBeExact) {
  auto asked = request(wire::Mode::kAuto, 1, ~0u);
  asked.terms = {{"a", 1}, {"b", 1}};
  const std::vector replies = {both(ranking({{1, 9}}, 4), ranking({{1, 9}}, 7))};
  EXPECT_EQ(merge(asked, replies, 0).total, (Count{4, false}));
  asked.exact_total = true;
  EXPECT_EQ(merge(asked, replies, 0).total, (Count{7, true}));
  EXPECT_TRUE(check(asked, replies[0]));
  EXPECT_EQ(check(asked, both(ranking({}, 0), ranking({{1, 9}}, 7, false))), Code::kCorrupt);
}
TEST(Merge, SeeksOthersOfAClauseAlsoIfItHasOneTerm) {
  auto asked = request(wire::Mode::kAuto, 2);
  asked.clause = "{}";
  asked.terms = {{"a", 1}};
  const std::vector replies = {both(ranking({}, 0), ranking({{1, 9}}, 1))};
  EXPECT_EQ(ordinals(merge(asked, replies, 0)), std::vector<Ordinal>{1});
}
TEST(Merge, CutsThePageOutOfTheRanking) {
  const std::vector replies = {or_reply(ranking({{1, 9}, {3, 5}}, 2)), or_reply(ranking({{2, 8}, {4, 4}}, 2, false))};
  const Merged merged = merge(request(wire::Mode::kOr, 3), replies, 1);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{2, 3}));
  EXPECT_FALSE(merged.total.exact);
  EXPECT_TRUE(merge(request(wire::Mode::kOr, 30), replies, 20).page.empty());
}
TEST(Merge, IsNothingWithoutReplies) {
  const Merged merged = merge(request(wire::Mode::kAuto, 10), {}, 0);
  EXPECT_TRUE(merged.page.empty());
  EXPECT_EQ(merged.total.value, 0u);
}
TEST(Merge, TakesAndAloneWhereTheWholeGenerationYieldsEnough) {
  // Neither leaf alone has three; together they do.
  const std::vector replies = {both(ranking({{1, 9}}, 1), ranking({{7, 10}, {1, 9}}, 50)),
                               both(ranking({{2, 5}, {4, 4}}, 2), ranking({{2, 5}, {4, 4}}, 60))};
  const Merged all = merge(request(wire::Mode::kAuto, 3, 3), replies, 0);
  EXPECT_EQ(all.mode_used, wire::Mode::kAnd);
  EXPECT_EQ(ordinals(all), (std::vector<Ordinal>{1, 2, 4}));
  EXPECT_EQ(all.total, (Count{3, false})) << "others may match";
  EXPECT_EQ(all.all_words, (Count{3, true}));
  const Merged more = merge(request(wire::Mode::kAuto, 4, 4), replies, 0);
  EXPECT_EQ(more.mode_used, wire::Mode::kAuto);
  EXPECT_EQ(ordinals(more), (std::vector<Ordinal>{1, 2, 4, 7})) << "documents with all words first";
  EXPECT_EQ(more.total, (Count{110, true}));
  EXPECT_EQ(more.all_words, (Count{3, true}));
}
TEST(Merge, TakesOrWhereNoDocumentHasAllWords) {
  const std::vector replies = {both(ranking({}, 0), ranking({{7, 10}, {1, 9}}, 50, false))};
  const Merged merged = merge(request(wire::Mode::kAuto, 2, 2), replies, 0);
  EXPECT_EQ(merged.mode_used, wire::Mode::kOr);
  EXPECT_EQ(ordinals(merged), (std::vector<Ordinal>{7, 1}));
  EXPECT_EQ(merged.total, (Count{50, false}));
  EXPECT_EQ(merged.all_words, (Count{0, true}));
}
TEST(Merge, CountsADocumentOfOneWordOnce) {
  auto asked = request(wire::Mode::kAuto, 1, 1);
  asked.terms = {{"one", 1}};
  const std::vector replies = {and_reply(ranking({{1, 9}}, 4))};
  EXPECT_EQ(merge(asked, replies, 0).total, (Count{4, true})) << "all words are any word";
  EXPECT_EQ(merge(asked, replies, 0).all_words, (Count{4, true}));
}
// Pages of every k and offset are those of one long ranking, however documents are spread over leaves.
TEST(Merge, GivesPagesOfOneRankingInModeAuto) {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto rank = seed % 3 == 0 ? wire::Rank::kNone : wire::Rank::kScore;
    const std::size_t leaves = 1 + random() % 5;
    std::vector<std::vector<Hit>> all(leaves), any(leaves);
    std::vector<Hit> wanted, others;
    for (Ordinal ordinal = 0; ordinal < 80; ++ordinal) {
      const Hit hit{ordinal, rank == wire::Rank::kNone ? 0 : 1 + static_cast<topk::Score>(random() % 6)};
      const std::size_t leaf = random() % leaves;
      const std::uint32_t words = random() % 8;  // 0: with all words; up to 3: with any
      if (words > 3) continue;
      any[leaf].push_back(hit);
      if (words == 0) all[leaf].push_back(hit);
      (words == 0 ? wanted : others).push_back(hit);
    }
    const std::size_t with_all = wanted.size(), matching = wanted.size() + others.size();
    std::sort(wanted.begin(), wanted.end(), topk::better);
    std::sort(others.begin(), others.end(), topk::better);
    wanted.insert(wanted.end(), others.begin(), others.end());
    for (std::uint32_t offset = 0; offset < 45; offset += 1 + offset / 4) {
      for (const std::uint32_t k : {1u, 2u, 3u, 10u, 50u}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", offset " + std::to_string(offset) + ", k " +
                     std::to_string(k));
        auto asked = request(wire::Mode::kAuto, offset + k, rank == wire::Rank::kNone ? ~0u : offset + k);
        asked.rank = rank;
        std::vector<wire::SearchReply> replies;
        const auto best = [&](std::vector<Hit> hits) {
          const std::size_t matches = hits.size();
          std::sort(hits.begin(), hits.end(), topk::better);
          hits.resize(std::min<std::size_t>(hits.size(), asked.depth));
          return ranking(std::move(hits), matches);
        };
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
          replies.push_back(all[leaf].size() < asked.auto_needs ? both(best(all[leaf]), best(any[leaf]))
                                                                : and_reply(best(all[leaf])));
          ASSERT_TRUE(check(asked, replies.back()));
        }
        const Merged merged = merge(asked, replies, offset);
        const std::size_t end = std::min<std::size_t>(wanted.size(), offset + k);
        ASSERT_EQ(merged.page.size(), end - std::min<std::size_t>(end, offset));
        for (std::size_t i = 0; i < merged.page.size(); ++i) ASSERT_EQ(merged.page[i].hit, wanted[offset + i]);
        ASSERT_EQ(merged.all_words, (Count{with_all, true}));
        const bool counted = with_all < asked.depth || rank == wire::Rank::kNone;
        ASSERT_EQ(merged.total, (Count{counted ? matching : with_all, counted}));
      }
    }
  }
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
    ASSERT_EQ(merged.total.value, all.size()) << "seed " << seed;
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
