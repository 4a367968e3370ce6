#include "broker/query/query.h"

#include <gtest/gtest.h>

namespace frond::broker {
namespace {

class QueryAnalysis : public testing::Test {
 protected:
  text::Analyzer analyzer_{text::AnalyzerConfig{}};
};

TEST_F(QueryAnalysis, CountsATermThatComesTwice) {
  const auto query = analyze_query(analyzer_, "Foxes hunt the fox");
  ASSERT_TRUE(query);
  ASSERT_EQ(query->terms.size(), 2u);
  EXPECT_EQ(query->terms[0].text, "fox");
  EXPECT_EQ(query->terms[0].occurrences, 2u);
  EXPECT_EQ(query->terms[1].text, "hunt");
}

TEST_F(QueryAnalysis, NormalizesOrderAndCaseButNotCounts) {
  const auto normalized = [&](std::string_view q) { return analyze_query(analyzer_, q)->normalized; };
  EXPECT_EQ(normalized("red fox"), normalized("  FOX, red!"));
  EXPECT_NE(normalized("red fox"), normalized("red fox fox"));
  EXPECT_NE(normalized("red fox"), normalized("redfox"));
}

TEST_F(QueryAnalysis, GivesNoTermsForStopWordsAlone) {
  const auto query = analyze_query(analyzer_, "the of and");
  ASSERT_TRUE(query);
  EXPECT_TRUE(query->terms.empty());
}

TEST_F(QueryAnalysis, RefusesWhatIsTooLongOrNotUtf8AndNamesIt) {
  for (const std::string& q :
       {std::string(kMaxQueryBytes + 1, 'a'), std::string("\xff\xfe"), std::string("\xc0\x80")}) {
    const auto query = analyze_query(analyzer_, q);
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().code(), Code::kInvalid);
    EXPECT_NE(query.error().message().find("q "), std::string::npos);
  }
}

TEST_F(QueryAnalysis, RefusesMoreTermsThanAScoreCanHold) {
  std::string q;
  for (std::uint32_t i = 0; i < scoring::kMaxQueryTerms; ++i) q += "x ";
  EXPECT_TRUE(analyze_query(analyzer_, q));
  EXPECT_FALSE(analyze_query(analyzer_, q + "x"));
}

}  // namespace
}  // namespace frond::broker
