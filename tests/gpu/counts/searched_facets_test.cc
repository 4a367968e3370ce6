// Searches with facets on a leaf with a GPU: what it answers is what the leaf answers without one, for facets that the
// GPU counts and for those that it leaves to the CPU, with filters, removed documents, and limits.
#include <gtest/gtest.h>

#include "tests/gpu/counts/searched_collection.h"

namespace frond::change_test {
namespace {

// Those that a GPU counts, and some that it does not.
constexpr const char* kCounted[] = {
    R"("a": {"values": {"field": "lang"}})",
    R"("b": {"distinct": {"field": "lang"}})",
    R"("c": {"values": {"field": "year", "size": 5}})",
    R"("d": {"ranges": {"field": "year", "bounds": [1995, 2000, 2001]}})",
    R"("e": {"histogram": {"field": "year", "interval": 7}})",
    R"("f": {"dates": {"field": "published", "interval": "month"}})",
    R"("g": {"dates": {"field": "published", "interval": "hour"}})",
    R"("h": {"values": {"field": "open"}})",
    R"("i": {"values": {"field": "tag"}})",
    R"("j": {"distinct": {"field": "tag"}})",
    R"("k": {"values": {"field": "sizes"}})",
    R"("l": {"stats": {"field": "year"}})",
    R"("m": {"stats": {"field": "sizes"}})",
    R"("n": {"ranges": {"field": "price", "bounds": [-3.5, 0.5, 99.25, 400, 1e9]}})",
    R"("o": {"ranges": {"field": "published", "bounds": [1500000000001, 1501000000000, 1503500000000]}})",
    R"("q": {"stats": {"field": "published"}})",
    R"("u": {"stats": {"field": "counts"}})",
};
constexpr const char* kLeft[] = {R"("s": {"stats": {"field": "price"}})", R"("t": {"values": {"field": "price"}})",
                                 R"("p": {"ranges": {"field": "sizes", "bounds": [0, 5]}})",
                                 R"("v": {"histogram": {"field": "counts", "interval": 1000}})"};

class SearchedFacets : public SearchedCollection {
 protected:
  std::string some_facets(bool counted) {
    std::string facets;
    for (const char* const facet : kCounted)
      if (random_() % 3 == 0) facets += std::string(facets.empty() ? "" : ",") + facet;
    if (facets.empty()) facets = kCounted[random_() % std::size(kCounted)];
    return counted ? facets : facets + "," + kLeft[random_() % std::size(kLeft)];
  }
};

void expect_same_rankings(const wire::Ranking& got, const wire::Ranking& wanted, bool with_matches) {
  EXPECT_EQ(got.hits, wanted.hits);
  if (with_matches) {
    EXPECT_EQ(got.matches, wanted.matches);
  }
}

TEST_P(SearchedFacets, AreTheSameWithAGpu) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  std::size_t by_gpu = 0, counted_ones = 0;
  for (int i = 0; i < 120; ++i) {
    const query::Mode modes[] = {query::Mode::kAnd, query::Mode::kOr, query::Mode::kAuto};
    const std::string text = random_words(random_, 1 + i % 4) + "w" + std::to_string(random_() % 8);
    const bool counted = i % 4 != 3;
    wire::SearchRequest request = request_of({query::Words{"", text, modes[i % 3]}}, some_facets(counted));
    const std::uint32_t depths[] = {0, 1, 10, 500};
    request.depth = depths[random_() % 4];
    request.auto_needs = random_() % 2 == 0 ? 10 : 1000;
    request.exact_total = random_() % 4 == 0;
    if (random_() % 4 == 0) request.rank = wire::Rank::kNone;
    if (random_() % 3 == 0) request.filter = R"({"term":{"field":"open","value":true}})";
    SCOPED_TRACE("partitions " + std::to_string(GetParam()) + ", request " + std::to_string(i) + ": " + request.clause +
                 request.filter + " " + request.facets + ", depth " + std::to_string(request.depth));
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    const Answered got = with_gpu.ask(request);
    ASSERT_EQ(wanted.refusal, "");
    ASSERT_EQ(got.refusal, "");
    ASSERT_TRUE(got.reply.unsearched.empty());
    ASSERT_EQ(got.reply.facets, wanted.reply.facets);
    ASSERT_EQ(got.reply.has_and, wanted.reply.has_and);
    ASSERT_EQ(got.reply.has_or, wanted.reply.has_or);
    expect_same_rankings(got.reply.or_ranking, wanted.reply.or_ranking, true);
    expect_same_rankings(got.reply.and_ranking, wanted.reply.and_ranking, request.exact_total);
    ASSERT_TRUE(got.reply.or_ranking.exact);
    if (testing::Test::HasFailure()) return;
    counted_ones += counted;
    const bool on_gpu =
        std::ranges::any_of(got.reply.profile, [](const auto& one) { return one.engine == "gpu, facets"; });
    by_gpu += on_gpu;
    EXPECT_TRUE(counted || !on_gpu);
    EXPECT_EQ(got.reply.runs.back().on_gpu, on_gpu);
  }
  EXPECT_GE(by_gpu, counted_ones * 9 / 10);
}

TEST_P(SearchedFacets, AreLeftToTheCpuForOtherClauses) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  const query::Clause word{query::Words{"", "w1 w2", query::Mode::kOr}},
      other{query::Words{"", "w0 w3", query::Mode::kAnd}};
  const std::vector<query::Clause> clauses = {
      {query::Bool{{word}, {other}, {}, {}, {}}},
      {query::Bool{{}, {word}, {other}, {}, {}}},
      {query::Boost{{word}, {512}}},
      {query::All{}},
  };
  for (const query::Clause& clause : clauses) {
    wire::SearchRequest request = request_of(clause, kCounted[0]);
    SCOPED_TRACE(request.clause);
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    const Answered got = with_gpu.ask(request);
    EXPECT_EQ(got.reply.facets, wanted.reply.facets);
    EXPECT_EQ(got.reply.or_ranking.hits, wanted.reply.or_ranking.hits);
    EXPECT_FALSE(got.reply.runs.back().on_gpu);
    EXPECT_EQ(got.reply.runs.back().reason, wire::RunReason::kClause);
  }
}

TEST_P(SearchedFacets, AreRefusedWithTheSameWords) {
  Searches with_gpu(*leaf_, leaf_->store(), &*gpu_, *cpu_), without(*leaf_, leaf_->store(), nullptr, *cpu_);
  with_gpu.parts().max_facet_buckets = without.parts().max_facet_buckets = 12;
  for (const char* const facets :
       {kCounted[0], kCounted[2], R"("h": {"values": {"field": "open"}}, "b": {"distinct": {"field": "lang"}})"}) {
    wire::SearchRequest request = request_of({query::Words{"", "w0 w1", query::Mode::kOr}}, facets);
    const Answered wanted = without.ask(request);
    request.processor = wire::Processor::kGpu;
    EXPECT_NE(wanted.refusal, "");
    EXPECT_EQ(with_gpu.ask(request).refusal, wanted.refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, SearchedFacets, testing::Values(1u, 3u));

}  // namespace
}  // namespace frond::change_test
