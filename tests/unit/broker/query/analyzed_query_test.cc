#include "broker/query/analyzed_query.h"

#include <gtest/gtest.h>

#include "common/scoring/bm25.h"

namespace frond::broker::query {
namespace {
const text::AnalyzerConfig kPorter{.stemmer = text::Stemmer::kPorter, .stop_words = true};
const text::AnalyzerConfig kPlain{.stemmer = text::Stemmer::kNone, .stop_words = false};

std::string said(std::string_view q, const text::AnalyzerConfig& config) {
  QueryAnalyzer analyzer;
  const auto query = analyzer.analyze(q, config);
  if (!query) return std::string(name_of(query.error().code()));
  std::string out;
  for (const auto& term : query->terms) out += term.text + ":" + std::to_string(term.occurrences) + " ";
  return out;
}

TEST(QueryAnalysis, CountsEqualTermsTogether) { EXPECT_EQ(said("Dogs and a dog, CAT", kPorter), "cat:1 dog:2 "); }
TEST(QueryAnalysis, FollowsTheGenerationsAnalyzer) { EXPECT_EQ(said("the Dogs", kPlain), "dogs:1 the:1 "); }
TEST(QueryAnalysis, TakesAQueryOfStopWordsAsEmpty) {
  EXPECT_EQ(said("the of", kPorter), "");
  EXPECT_EQ(said("", kPorter), "");
}
TEST(QueryAnalysis, TellsStopWordsFromNoWords) {
  QueryAnalyzer analyzer;
  for (const auto* q : {"the", "of the, and"}) EXPECT_TRUE(analyzer.analyze(q, kPorter)->only_stop_words) << q;
  for (const auto* q : {"", " ", "!? …", "the fox"}) EXPECT_FALSE(analyzer.analyze(q, kPorter)->only_stop_words) << q;
  EXPECT_FALSE(analyzer.analyze("the", kPlain)->only_stop_words) << "a word like others here";
}
TEST(QueryAnalysis, RefusesWhatIsTooLongOrNoText) {
  EXPECT_EQ(said(std::string(kMaxQueryBytes, 'a'), kPlain).empty(), false);
  EXPECT_EQ(said(std::string(kMaxQueryBytes + 1, 'a'), kPlain), "invalid");
  EXPECT_EQ(said("\xff\xfe", kPlain), "invalid");
  std::string many;
  for (std::uint32_t i = 0; i < scoring::kMaxQueryTerms; ++i) many += "x ";
  EXPECT_EQ(said(many, kPlain), "x:" + std::to_string(scoring::kMaxQueryTerms) + " ");
  EXPECT_EQ(said(many + "y", kPlain), "invalid");
}
TEST(QueryAnalysis, NormalizesEqualQueriesEquallyAndOthersNot) {
  QueryAnalyzer analyzer;
  const auto key = [&](std::string_view q) { return normalized(*analyzer.analyze(q, kPorter)); };
  EXPECT_EQ(key("cats dog dog"), key("dogs, the CAT! dog"));
  EXPECT_NE(key("cat dog"), key("cat dog dog"));
  EXPECT_NE(key("cat 2"), key("cat cat"));
  EXPECT_NE(key("ab"), key("a b"));
}
}  // namespace
}  // namespace frond::broker::query
