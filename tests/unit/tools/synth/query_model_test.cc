#include "tools/synth/query_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tools/synth/document_model.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kQuerySeed = 7;

const Profile& named(std::string_view name) { return **profile_named(name); }

TEST(Profiles, AreNamedAndOthersRefused) {
  for (const auto& profile : all_profiles()) EXPECT_EQ(*profile_named(profile.name), &profile);
  const auto unknown = profile_named("gov3");
  ASSERT_EQ(unknown, Code::kInvalid);
  EXPECT_EQ(unknown.error().message(), "no profile 'gov3'; there are gov, gov2, clueweb09, splade");
}

TEST(QueryModel, GivesGov2QueriesThePostingsThatDingCounts) {
  const double postings = draw_queries(named("gov2"), 0, 4000, kQuerySeed).postings_a_query();
  EXPECT_GT(postings, 3.74e6 * 0.97) << "seed " << kQuerySeed;
  EXPECT_LT(postings, 3.74e6 * 1.03) << "seed " << kQuerySeed;
}

// Ao 2011, Table 4: thousands of postings, and percent.
TEST(QueryModel, GivesGovQueriesTheShortestListsOfAo) {
  struct Row {
    double shortest, ratio, share;
  };
  const Row expected[] = {{8.6, 13.6, 18.6}, {8.7, 23.1, 28.3}, {8.4, 28.6, 26.4}, {8.0, 32.0, 17.1}, {8.0, 34.4, 9.5}};
  const auto set = draw_queries(named("gov"), 0, 50'000, kQuerySeed);
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
      EXPECT_GT(is, should * 0.85) << what << ", " << terms << " terms, seed " << kQuerySeed;
      EXPECT_LT(is, should * 1.15) << what << ", " << terms << " terms, seed " << kQuerySeed;
    };
    near(shortest / queries, row.shortest, "shortest list");
    near(ratio / queries, row.ratio, "ratio");
    near(100 * queries / 50'000, row.share, "share of queries");
  }
}

TEST(QueryModel, SharesTermsAsALogDoes) {
  // 2,000 queries of the log have 5,544 terms, of which 3,342 differ, with its queries of one term.
  const auto set = draw_queries(named("gov2"), 0, 2000, kQuerySeed);
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
      const auto set = draw_queries(profile, documents, 300, kQuerySeed);
      std::set<std::uint32_t> used;
      for (const auto& query : set.queries) {
        EXPECT_FALSE(query.empty());
        EXPECT_EQ(std::set(query.begin(), query.end()).size(), query.size());
        used.insert(query.begin(), query.end());
      }
      const std::size_t lists = profile.has_impacts() ? profile.impacts.terms : used.size();
      EXPECT_EQ(set.list_lengths.size(), lists) << profile.name;
      EXPECT_LE(*used.rbegin() + 1, lists);
      EXPECT_TRUE(std::is_sorted(set.list_lengths.rbegin(), set.list_lengths.rend()));
      EXPECT_GE(set.list_lengths.back(), 1u);
      EXPECT_LE(set.list_lengths.front(), documents);
    }
}

TEST(QueryModel, ScalesWithTheDocuments) {
  const double postings = draw_queries(named("gov2"), 252'000, 4000, kQuerySeed).postings_a_query();
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

TEST(ImpactQueries, HaveTensOfTermsWithWeights) {
  const auto set = draw_queries(named("splade"), 0, 1000, kQuerySeed);
  double terms = 0, most = 0;
  std::vector<std::uint32_t> weights;
  ASSERT_EQ(set.weights.size(), set.queries.size());
  for (std::size_t q = 0; q < set.queries.size(); ++q) {
    ASSERT_EQ(set.weights[q].size(), set.queries[q].size()) << "seed " << kQuerySeed << " query " << q;
    EXPECT_GE(set.queries[q].size(), 20u);
    EXPECT_LE(set.queries[q].size(), 60u);
    terms += static_cast<double>(set.queries[q].size()) / 1000;
    double sum = 0;
    for (const std::uint32_t units : set.weights[q]) sum += units / 256.0;
    most = std::max(most, sum);
    weights.insert(weights.end(), set.weights[q].begin(), set.weights[q].end());
  }
  EXPECT_NEAR(terms, 37, 3) << "seed " << kQuerySeed;
  EXPECT_LT(most, 180) << "or other means search it; seed " << kQuerySeed;
  std::ranges::sort(weights);
  EXPECT_GE(weights.front(), 12u);
  EXPECT_LE(weights.back(), 3u * 256);
  EXPECT_NEAR(weights[weights.size() / 2] / 256.0, 0.7, 0.05) << "seed " << kQuerySeed;
  EXPECT_GT(set.postings_a_query(), 0.4 * 8'841'823) << "seed " << kQuerySeed;
  EXPECT_LT(set.postings_a_query(), 1.2 * 8'841'823) << "seed " << kQuerySeed;
}

TEST(ImpactQueries, AreOfAVocabularyWhoseListsGiveDocumentsAboutAHundredAndFiftyTerms) {
  const auto set = draw_queries(named("splade"), 100'000, 1, kQuerySeed);
  double postings = 0;
  for (const std::uint32_t length : set.list_lengths) postings += length;
  EXPECT_GT(postings / 100'000, 120);
  EXPECT_LT(postings / 100'000, 200);
  EXPECT_EQ(set.list_lengths.front(), 42'000u);
  EXPECT_LT(set.list_lengths.back(), 100u);
}

// Documents of a query's subject have its terms more often than others do.
TEST(ImpactQueries, AskForWhatTheDocumentsOfTheirSubjectHave) {
  constexpr std::uint32_t kDocuments = 64'000;
  const Profile& profile = named("splade");
  const CollectionSize size{
      .profile = &profile, .documents = kDocuments, .order = DocidOrder::kInput, .seed = kQuerySeed};
  const auto set = draw_queries(profile, kDocuments, 200, kQuerySeed);
  double best = 0, mean = 0;
  for (const auto& query : set.queries) {
    std::vector<double> by_run(profile.runs, 0.0);
    for (const std::uint32_t term : query)
      for (std::uint32_t run = 0; run < profile.runs; ++run)
        by_run[run] += usual_in_run(size, term, run) / static_cast<double>(query.size());
    best += *std::ranges::max_element(by_run) / 200;
    for (const double one : by_run) mean += one / (200.0 * profile.runs);
  }
  EXPECT_GT(best, 2 * mean) << "seed " << kQuerySeed;
}

TEST(QueryModel, OfNoQueriesIsEmpty) {
  const auto set = draw_queries(named("gov2"), 0, 0, kQuerySeed);
  EXPECT_TRUE(set.queries.empty());
  EXPECT_TRUE(set.list_lengths.empty());
  EXPECT_EQ(set.postings_a_query(), 0);
}

}  // namespace
}  // namespace frond::tools::synth
