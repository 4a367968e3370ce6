#include "tools/synth/query_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kSeed = 7;

const Profile& named(std::string_view name) { return **profile_named(name); }

TEST(Profiles, AreNamedAndOthersRefused) {
  for (const auto& profile : all_profiles()) EXPECT_EQ(*profile_named(profile.name), &profile);
  const auto unknown = profile_named("gov3");
  ASSERT_EQ(unknown, Code::kInvalid);
  EXPECT_EQ(unknown.error().message(), "no profile 'gov3'; there are gov, gov2, clueweb09");
}

TEST(QueryModel, GivesGov2QueriesThePostingsThatDingCounts) {
  const double postings = draw_queries(named("gov2"), 0, 4000, kSeed).postings_a_query();
  EXPECT_GT(postings, 3.74e6 * 0.97) << "seed " << kSeed;
  EXPECT_LT(postings, 3.74e6 * 1.03) << "seed " << kSeed;
}

// Ao 2011, Table 4: thousands of postings, and percent.
TEST(QueryModel, GivesGovQueriesTheShortestListsOfAo) {
  struct Row {
    double shortest, ratio, share;
  };
  const Row expected[] = {{8.6, 13.6, 18.6}, {8.7, 23.1, 28.3}, {8.4, 28.6, 26.4}, {8.0, 32.0, 17.1}, {8.0, 34.4, 9.5}};
  const auto set = draw_queries(named("gov"), 0, 50'000, kSeed);
  for (std::size_t terms = 2; terms <= 6; ++terms) {
    double shortest = 0, ratio = 0, queries = 0;
    for (const auto& query : set.queries) {
      if (query.size() != terms) continue;
      std::vector<double> lengths;
      lengths.reserve(query.size());
      for (const auto list : query) lengths.push_back(set.list_lengths[list]);
      std::sort(lengths.begin(), lengths.end());
      shortest += lengths[0] / 1000;
      ratio += 100 * lengths[0] / lengths[1];
      ++queries;
    }
    const auto& row = expected[terms - 2];
    const auto near = [&](double is, double should, const char* what) {
      EXPECT_GT(is, should * 0.85) << what << ", " << terms << " terms, seed " << kSeed;
      EXPECT_LT(is, should * 1.15) << what << ", " << terms << " terms, seed " << kSeed;
    };
    near(shortest / queries, row.shortest, "shortest list");
    near(ratio / queries, row.ratio, "ratio");
    near(100 * queries / 50'000, row.share, "share of queries");
  }
}

TEST(QueryModel, SharesTermsAsALogDoes) {
  // 2,000 queries of the log have 5,544 terms, of which 3,342 differ, with its queries of one term.
  const auto set = draw_queries(named("gov2"), 0, 2000, kSeed);
  EXPECT_GT(set.list_lengths.size(), 2000u);
  EXPECT_LT(set.list_lengths.size(), 4500u);
  std::vector<std::uint32_t> uses(set.list_lengths.size(), 0);
  for (const auto& query : set.queries)
    for (const auto list : query) ++uses[list];
  EXPECT_GT(uses.front(), 10u) << "the longest";
  EXPECT_LT(uses.back(), 5u) << "the shortest";
}

TEST(QueryModel, HasOnlyListsThatQueriesUseAndEachOnceInAQuery) {
  for (const auto& profile : all_profiles())
    for (const std::uint32_t documents : {1u, 50u, 20'000u}) {
      const auto set = draw_queries(profile, documents, 300, kSeed);
      std::set<std::uint32_t> used;
      for (const auto& query : set.queries) {
        EXPECT_FALSE(query.empty());
        EXPECT_EQ(std::set(query.begin(), query.end()).size(), query.size());
        used.insert(query.begin(), query.end());
      }
      EXPECT_EQ(used.size(), set.list_lengths.size()) << profile.name;
      EXPECT_EQ(*used.rbegin() + 1, used.size());
      EXPECT_TRUE(std::is_sorted(set.list_lengths.rbegin(), set.list_lengths.rend()));
      EXPECT_GE(set.list_lengths.back(), 1u);
      EXPECT_LE(set.list_lengths.front(), documents);
    }
}

TEST(QueryModel, ScalesWithTheDocuments) {
  const double postings = draw_queries(named("gov2"), 252'000, 4000, kSeed).postings_a_query();
  EXPECT_GT(postings, 37.4e3 * 0.97);
  EXPECT_LT(postings, 37.4e3 * 1.03);
}

TEST(QueryModel, DependsOnItsSeedAlone) {
  const auto one = draw_queries(named("gov"), 10'000, 500, 1), same = draw_queries(named("gov"), 10'000, 500, 1),
             other = draw_queries(named("gov"), 10'000, 500, 2);
  EXPECT_EQ(one.queries, same.queries);
  EXPECT_EQ(one.list_lengths, same.list_lengths);
  EXPECT_NE(one.queries, other.queries);
}

TEST(QueryModel, OfNoQueriesIsEmpty) {
  const auto set = draw_queries(named("gov2"), 0, 0, kSeed);
  EXPECT_TRUE(set.queries.empty());
  EXPECT_TRUE(set.list_lengths.empty());
  EXPECT_EQ(set.postings_a_query(), 0);
}

}  // namespace
}  // namespace frond::tools::synth
