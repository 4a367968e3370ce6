// Counts of facets from several leaves, merged in steps, against what a map says of them.
#include "broker/merge/facet_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "tests/support/query_schema.h"

namespace frond::broker::merge {
namespace {

using Kind = frond::query::Facet::Kind;

Arrangement arranged(std::string_view facets, std::size_t max_buckets = 100'000) {
  Arrangement made{{}, {}, max_buckets, std::make_shared<const schema::Schema>(support::query_schema())};
  made.facets = *bind_facets(*frond::query::parse_facets(facets), *made.schema, "facets");
  return made;
}

Result<std::vector<FacetTotals>> merged(const Arrangement& arrangement, std::vector<wire::SearchReply> replies,
                                        std::size_t buckets_of_a_step = 1 << 20) {
  FacetMerge merge(arrangement, replies);
  for (;;)
    if (FROND_TRY(merge.step(buckets_of_a_step))) return merge.take();
}

// By a number, or as a word that orders as it does.
std::string word_of(std::uint64_t number) { return "k" + std::to_string(1'000'000 + number); }

struct Expected {
  std::map<std::uint64_t, std::uint64_t> counts;
  std::uint64_t missing = 0;
};

// Any reply may have any bucket.
std::vector<wire::SearchReply> random_replies(const Arrangement& arrangement, std::mt19937& random,
                                              std::vector<Expected>& expected) {
  std::vector<wire::SearchReply> replies(random() % 9);
  expected.resize(arrangement.facets.size());
  for (auto& reply : replies)
    for (std::size_t i = 0; i < arrangement.facets.size(); ++i) {
      const auto& facet = arrangement.facets[i];
      frond::query::FacetCounts& counts = reply.facets.emplace_back();
      expected[i].missing += counts.missing = random() % 5;
      const std::uint32_t share = 1 + random() % 6;
      const std::uint64_t values = facet.kind == Kind::kRanges ? facet.bounds.size() + 1 : random() % 200;
      for (std::uint64_t value = 0; value < values; ++value) {
        if (random() % share != 0) continue;
        if (facet.field == "tag")
          counts.words.push_back(word_of(value));
        else
          counts.keys.push_back(value);
        const std::uint64_t count = 1 + random() % 4;
        if (facet.kind != Kind::kDistinct) counts.counts.push_back(count);
        expected[i].counts[value] += count;
      }
    }
  return replies;
}

void expect_totals(const frond::query::Facet& facet, const Expected& expected, const FacetTotals& totals) {
  EXPECT_EQ(totals.missing, expected.missing);
  EXPECT_EQ(totals.different, expected.counts.size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all(expected.counts.begin(), expected.counts.end());
  std::uint64_t other = 0;
  if (facet.kind == Kind::kDistinct) all.clear();
  if (facet.kind == Kind::kValues) {
    std::ranges::stable_sort(all, std::greater<>(), [](const auto& bucket) { return bucket.second; });
    for (; all.size() > facet.size; all.pop_back()) other += all.back().second;
  }
  EXPECT_EQ(totals.other, other);
  std::vector<std::uint64_t> keys, counts;
  std::vector<std::string> words;
  for (const auto& [value, count] : all) {
    if (facet.field == "tag")
      words.push_back(word_of(value));
    else
      keys.push_back(value);
    counts.push_back(count);
  }
  EXPECT_EQ(totals.keys, keys);
  EXPECT_EQ(totals.words, words);
  EXPECT_EQ(totals.counts, counts);
}

TEST(FacetMerge, GivesTheSameTotalsInStepsOfAnySize) {
  auto all_kinds = arranged("tag:7");
  for (const char* facet : {"tag:10000", "tag:distinct", "year:3", "year:[1,2,3]", "price:100:histogram",
                            "published:month", "open:distinct"})
    all_kinds.facets.push_back(arranged(facet).facets.front());
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<Expected> expected;
    const auto replies = random_replies(all_kinds, random, expected);
    for (const std::size_t step : {std::size_t{1}, std::size_t{1} + random() % 50, std::size_t{1} << 20}) {
      const auto totals = merged(all_kinds, replies, step);
      ASSERT_TRUE(totals);
      ASSERT_EQ(totals->size(), all_kinds.facets.size());
      for (std::size_t i = 0; i < totals->size(); ++i) expect_totals(all_kinds.facets[i], expected[i], (*totals)[i]);
    }
  }
}

TEST(FacetMerge, AddsSums) {
  const auto arrangement = arranged("year:stats");
  for (std::int64_t leaves : {0, 1, 5}) {
    std::vector<wire::SearchReply> replies(static_cast<std::size_t>(leaves));
    for (std::int64_t i = 0; i < leaves; ++i) {
      auto& stats = replies[static_cast<std::size_t>(i)].facets.emplace_back();
      stats.with_value = stats.values = 1;
      stats.missing = 2;
      stats.least = stats.greatest = schema::ordering_key(schema::FieldType::kInteger, i);
      stats.sum.add_integer(i);
    }
    const auto totals = merged(arrangement, replies);
    ASSERT_TRUE(totals);
    const FacetTotals& stats = totals->front();
    EXPECT_EQ(stats.values, static_cast<std::uint64_t>(leaves));
    EXPECT_EQ(stats.missing, static_cast<std::uint64_t>(2 * leaves));
    EXPECT_EQ(stats.sum.rounded(), static_cast<double>(leaves * (leaves - 1) / 2));
    if (leaves == 0) continue;
    EXPECT_EQ(stats.least, schema::ordering_key(schema::FieldType::kInteger, std::int64_t{0}));
    EXPECT_EQ(stats.greatest, schema::ordering_key(schema::FieldType::kInteger, leaves - 1));
  }
}

TEST(FacetMerge, MergesNoMoreThanWasAskedForAtATime) {
  std::vector<wire::SearchReply> replies(4);
  for (auto& reply : replies) {
    auto& counts = reply.facets.emplace_back();
    for (std::uint64_t i = 0; i < 1000; ++i) counts.keys.push_back(i), counts.counts.push_back(1);
  }
  const auto arrangement = arranged("year:10");
  FacetMerge merge(arrangement, replies);
  int steps = 1;
  for (;; ++steps) {
    const auto done = merge.step(100);
    ASSERT_TRUE(done);
    if (*done) break;
  }
  EXPECT_EQ(steps, 40);
}

TEST(FacetMerge, NamesTheFacetWithTooManyBuckets) {
  const auto arrangement = arranged("year:stats,tag:5", 2);
  std::vector<wire::SearchReply> replies(2);
  for (auto& reply : replies) reply.facets.resize(2);
  replies[0].facets[1] = {.with_value = 2, .words = {"a", "b"}, .counts = {1, 2}};
  replies[1].facets[1] = {.with_value = 2, .words = {"a", "b"}, .counts = {1, 2}};
  EXPECT_TRUE(merged(arrangement, replies));
  replies[1].facets[1].words[1] = "c";
  for (const std::size_t step : {1, 100})
    EXPECT_EQ(merged(arrangement, replies, step).error().message(), "facet 'tag' has more than 2 different buckets");
  replies[0].facets[1].words = {"a", "b", "c"};
  EXPECT_EQ(merged(arrangement, replies, 1).error().message(), "facet 'tag' has more than 2 different buckets");
}

TEST(FacetMerge, CountsWhatTheFacetsOfAReplyTake) {
  wire::SearchReply reply;
  EXPECT_EQ(facet_bytes(reply), 0u);
  reply.facets.push_back({.words = {"abc", std::string(100, 'x')}, .counts = {1, 2}});
  reply.facets.push_back({.keys = {1, 2, 3}});
  EXPECT_EQ(facet_bytes(reply), 103u + 7 * 8);
}

}  // namespace
}  // namespace frond::broker::merge
