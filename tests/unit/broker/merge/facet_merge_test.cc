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

Arrangement arranged_facet(std::string_view facets, std::size_t max_buckets = 100'000) {
  Arrangement made{{}, {}, max_buckets, std::make_shared<const schema::Schema>(support::query_schema())};
  made.facets = *bind_facets(*frond::query::parse_facets(facets), *made.schema, "facets");
  return made;
}

Result<std::vector<FacetTotals>> merged(const Arrangement& arrangement, std::vector<wire::SearchReply> replies,
                                        std::size_t buckets_of_a_step = 1 << 20) {
  FacetMerge merge(arrangement, take_counts(replies, arrangement.facets.size()));
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
  auto all_kinds = arranged_facet("tag:7");
  for (const char* facet : {"tag:10000", "tag:distinct", "year:3", "year:[1,2,3]", "price:100:histogram",
                            "published:month", "open:distinct"})
    all_kinds.facets.push_back(arranged_facet(facet).facets.front());
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

using frond::query::FacetCounts;

Arrangement arranged_json(std::string_view facets, std::size_t max_buckets = 100'000) {
  Arrangement made{{}, {}, max_buckets, std::make_shared<const schema::Schema>(support::query_schema())};
  made.facets = *bind_facets(*frond::query::read_facets(*schema::parse_json(facets), "facets"), *made.schema, "facets");
  return made;
}

// One document for each of `values`, by tag, with years that are counted and summed inside.
FacetCounts by_tag(const std::map<std::string, std::vector<std::int64_t>>& values) {
  FacetCounts made;
  for (const auto& [tag, years] : values) {
    made.with_value += years.size();
    made.words.push_back(tag);
    made.counts.push_back(years.size());
    FacetCounts counted{.with_value = years.size()}, summed{.with_value = years.size(), .values = years.size()};
    std::map<std::uint64_t, std::uint64_t> buckets;
    for (const std::int64_t year : years) {
      const std::uint64_t key = schema::ordering_key(schema::FieldType::kInteger, year);
      ++buckets[key];
      summed.least = std::min(summed.least, key);
      summed.greatest = std::max(summed.greatest, key);
      summed.sum.add_integer(year);
    }
    for (const auto& [key, count] : buckets) {
      counted.keys.push_back(key);
      counted.counts.push_back(count);
    }
    made.nested.push_back(std::move(counted));
    made.nested.push_back(std::move(summed));
  }
  return made;
}

std::string by_tag_json(const std::string& members) {
  return R"({"t":{"values":{"field":"tag")" + members +
         R"(},"facets":{"y":{"values":{"field":"year","size":2}},"s":{"stats":{"field":"year"}}}}})";
}

TEST(FacetMerge, MergesWhatIsInBuckets) {
  using Replies = std::vector<wire::SearchReply>;
  Replies replies(3);
  replies[0].facets = {by_tag({{"a", {1, 2, 2}}, {"b", {7}}, {"d", {5}}})};
  replies[1].facets = {by_tag({{"a", {2, 9}}, {"c", {-4, -4}}})};
  replies[2].facets = {by_tag({})};
  const auto shown = [&](const std::string& members, std::size_t step = 1) {
    std::string text;
    const auto arrangement = arranged_json(by_tag_json(members));
    for (const wire::SearchReply& reply : replies)
      EXPECT_TRUE(frond::query::check(reply.facets[0], arrangement.facets[0], *arrangement.schema));
    const FacetTotals totals = merged(arrangement, replies, step)->front();
    EXPECT_EQ(totals.nested.size(), 2 * totals.counts.size());
    for (std::size_t i = 0; i < totals.counts.size(); ++i) {
      const FacetTotals &years = totals.nested[2 * i], &sums = totals.nested[2 * i + 1];
      text += totals.words[i] + std::to_string(totals.counts[i]) + "(";
      for (const std::uint64_t count : years.counts) text += std::to_string(count);
      text += "+" + std::to_string(years.other) + " " + std::to_string(static_cast<int>(sums.sum.rounded())) + ")";
    }
    return text + "+" + std::to_string(totals.other);
  };
  for (const std::size_t step : {1, 3, 1000}) EXPECT_EQ(shown("", step), "a5(31+1 16)c2(2+0 -8)b1(1+0 7)d1(1+0 5)+0");
  EXPECT_EQ(shown(R"(,"size":1)"), "a5(31+1 16)+4");
  EXPECT_EQ(shown(R"(,"order":"_value:desc","size":2)"), "d1(1+0 5)c2(2+0 -8)+6");
  EXPECT_EQ(shown(R"(,"order":"_count:asc","size":3)"), "b1(1+0 7)d1(1+0 5)c2(2+0 -8)+5");
  EXPECT_EQ(shown(R"(,"order":"s.sum:asc","size":2)"), "c2(2+0 -8)d1(1+0 5)+6");
  EXPECT_EQ(shown(R"(,"order":"s.max:desc","size":2)"), "a5(31+1 16)b1(1+0 7)+3");
  EXPECT_EQ(shown(R"(,"order":"s.mean:desc","size":2)"), "b1(1+0 7)d1(1+0 5)+7");
  EXPECT_EQ(shown(R"(,"order":"s.count","size":1)"), "b1(1+0 7)+8");
  EXPECT_EQ(shown(R"(,"min_count":2)"), "a5(31+1 16)c2(2+0 -8)+2");
  // Four tags, two facets in each, and six years in all.
  EXPECT_TRUE(merged(arranged_json(by_tag_json(""), 18), replies));
  for (const std::size_t most : {3, 11, 17})
    EXPECT_EQ(merged(arranged_json(by_tag_json(""), most), replies, 2).error().message(),
              "facet 't' has more than " + std::to_string(most) + " different buckets");
}

TEST(FacetMerge, FillsWhatIsBetweenBuckets) {
  const auto year = [](std::int64_t number) { return schema::ordering_key(schema::FieldType::kInteger, number); };
  std::vector<wire::SearchReply> replies(2);
  replies[0].facets = {{.with_value = 3, .keys = {year(10), year(40)}, .counts = {1, 2}}};
  replies[1].facets = {{.with_value = 1, .keys = {year(40)}, .counts = {1}}};
  const auto totals = [&](const std::string& min_count, std::size_t most = 4) {
    const std::string json = R"({"h":{"histogram":{"field":"year","interval":10,"min_count":)" + min_count + "}}}";
    return merged(arranged_json(json, most), replies, 1);
  };
  EXPECT_EQ(totals("0")->front().keys, (std::vector{year(10), year(20), year(30), year(40)}));
  EXPECT_EQ(totals("0")->front().counts, (std::vector<std::uint64_t>{1, 0, 0, 3}));
  EXPECT_EQ(totals("2")->front().keys, std::vector{year(40)});
  EXPECT_EQ(totals("0", 3), Code::kInvalid);
}

TEST(FacetMerge, FillsInStepsAndChargesWhatIsInEmptyBuckets) {
  const auto year = [](std::int64_t number) { return schema::ordering_key(schema::FieldType::kInteger, number); };
  std::vector<wire::SearchReply> replies(1);
  FacetCounts& counts = replies[0].facets.emplace_back();
  counts = {.with_value = 2, .keys = {year(0), year(999)}, .counts = {1, 1}};
  counts.nested.assign(4, {.with_value = 1, .values = 1});
  const std::string json =
      R"({"h":{"histogram":{"field":"year","interval":1,"min_count":0},"facets":{"a":{"count":{"field":"year"}},"b":{"count":{"field":"year"}}}}})";
  const auto arrangement = arranged_json(json, 3000);
  std::vector<wire::SearchReply> again = replies;
  FacetMerge merge(arrangement, take_counts(again, arrangement.facets.size()));
  int steps = 1;
  for (;; ++steps) {
    const auto done = merge.step(100);
    ASSERT_TRUE(done);
    if (*done) break;
  }
  EXPECT_GE(steps, 10);
  const FacetTotals totals = merge.take().front();
  EXPECT_EQ(totals.keys.size(), 1000u);
  EXPECT_EQ(totals.nested.size(), 4u) << "of the two buckets with documents";
  EXPECT_EQ(totals.nested.back().values, 1u);
  for (const std::size_t most : {500, 2999}) EXPECT_EQ(merged(arranged_json(json, most), replies), Code::kInvalid);
}

TEST(FacetMerge, FreesWordsInBucketsInStepsOfAnySize) {
  std::vector<wire::SearchReply> replies(2);
  for (auto& reply : replies) {
    FacetCounts& counts = reply.facets.emplace_back();
    for (std::uint64_t i = 0; i < 30; ++i) {
      counts.words.push_back(word_of(i));
      counts.counts.push_back(3);
      counts.nested.push_back(
          {.with_value = 3, .words = {"x", "y", "z"}, .counts = {1, 1, 1}, .nested = std::vector<FacetCounts>(3)});
    }
  }
  const auto arrangement = arranged_json(
      R"({"t":{"values":{"field":"tag"},"facets":{"u":{"values":{"field":"tag"},"facets":{"v":{"values":{"field":"tag"}}}}}}})");
  for (const std::size_t step : {1, 2, 3, 7}) {
    std::vector<wire::SearchReply> again = replies;
    FacetMerge merge(arrangement, take_counts(again, arrangement.facets.size()));
    std::size_t steps = 1;
    while (!*merge.step(step)) ++steps;
    EXPECT_GE(steps, 2 * 30 * 4 / step);  // of the 8 words and facets in each of the 30 buckets of both
    EXPECT_EQ(merge.take().front().words.size(), 10u);
  }
}

TEST(FacetMerge, OrdersByDifferentValues) {
  std::vector<wire::SearchReply> replies(3);
  const auto by_tag_of = [](std::vector<std::vector<std::string>> words) {
    FacetCounts made{.with_value = words.size()};
    for (std::size_t i = 0; i < words.size(); ++i) {
      made.words.push_back(word_of(i));
      made.counts.push_back(1);
      made.nested.push_back({.with_value = 1, .words = words[i]});
    }
    return made;
  };
  replies[0].facets = {by_tag_of({{"a", "b"}, {"a", "b", "c"}, {"x"}})};
  replies[1].facets = {by_tag_of({{"a", "b"}, {"d", "e"}, {}})};
  replies[2].facets = {by_tag_of({{"b"}, {"c"}, {"x"}})};
  const auto arrangement = arranged_json(
      R"({"t":{"values":{"field":"tag","order":"d.value:desc"},"facets":{"d":{"distinct":{"field":"lang"}}}}})");
  for (const std::size_t step : {1, 1000}) {
    const FacetTotals totals = merged(arrangement, replies, step)->front();
    EXPECT_EQ(totals.words, (std::vector{word_of(1), word_of(0), word_of(2)}));
    EXPECT_EQ(totals.nested[0].different, 5u);
    EXPECT_EQ(totals.nested[1].different, 2u);
    EXPECT_EQ(totals.nested[2].different, 1u);
  }
}

TEST(FacetMerge, RefusesWhatIsAlwaysShown) {
  const auto problem = [](const std::string& json, std::size_t most = 100'000) {
    const auto checked = check_shown(arranged_json(json, most));
    return checked ? "" : checked.error().message();
  };
  std::string bounds = "0", deep = R"({"missing":{"field":"tag"}})";
  for (int i = 1; i < 1000; ++i) bounds += "," + std::to_string(i);
  std::string ranges = R"({"r":{"ranges":{"field":"year","bounds":[)" + bounds + "]}}}";
  EXPECT_EQ(problem(ranges, 1001), "");
  const std::string refused = "facet 'r' shows more than 100000 buckets, empty ones and facets in them included";
  EXPECT_EQ(problem(ranges, 1000), "facet 'r' shows more than 1000 buckets, empty ones and facets in them included");
  for (int i = 0; i < 2; ++i) {
    ranges = R"({"r":{"ranges":{"field":"year","bounds":[)" + bounds + R"(]},"facets":)" + ranges + "}}";
    EXPECT_EQ(problem(ranges), refused);
  }
  for (int i = 0; i < 7; ++i)
    deep =
        R"({"filters":{"queries":{"a":{"all":{}},"b":{"all":{}},"c":{"all":{}},"d":{"all":{}},"e":{"all":{}}}},"facets":{"f":)" +
        deep + "}}";
  EXPECT_EQ(problem(R"({"r":)" + deep + "}"), refused);
  // Each of 10 tags has 4 ranges, 2 percentiles and a number.
  const std::string inside =
      R"({"t":{"values":{"field":"tag"},"facets":{"r":{"ranges":{"field":"year","bounds":[1,2,3]}},"p":{"percentiles":{"field":"year","percents":[50,99]}},"s":{"stats":{"field":"year"}}}}})";
  EXPECT_EQ(problem(inside, 1), "");
  std::vector<wire::SearchReply> replies(1);
  FacetCounts& counts = replies[0].facets.emplace_back();
  for (std::uint64_t i = 0; i < 20; ++i) {
    counts.words.push_back(word_of(i));
    counts.counts.push_back(1);
    for (int facet = 0; facet < 3; ++facet) counts.nested.push_back({.missing = 1});
  }
  EXPECT_TRUE(merged(arranged_json(inside, 20 + 10 * (4 + 2 + 3)), replies));
  EXPECT_EQ(merged(arranged_json(inside, 20 + 10 * (4 + 2 + 3) - 1), replies), Code::kInvalid);
}

TEST(FacetMerge, AddsSums) {
  const auto arrangement = arranged_facet("year:stats");
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
  const auto arrangement = arranged_facet("year:10");
  FacetMerge merge(arrangement, take_counts(replies, arrangement.facets.size()));
  int steps = 1;
  for (;; ++steps) {
    const auto done = merge.step(100);
    ASSERT_TRUE(done);
    if (*done) break;
  }
  EXPECT_EQ(steps, 40);
}

TEST(FacetMerge, NamesTheFacetWithTooManyBuckets) {
  const auto arrangement = arranged_facet("year:stats,tag:5", 2);
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
