// From words to terms.
#include "common/text/analyzer.h"
#include "common/text/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const AnalyzerConfig kPlain{Stemmer::kNone, false};

TEST(Analyzer, LowersEveryScript) {
  EXPECT_THAT(Analyzer(kPlain).terms("The ÄRGER Привет ΚΌΣΜΕ"), ElementsAre("the", "ärger", "привет", "κόσμε"));
}
TEST(Analyzer, StemsAsPorterAndAsSnowballsEnglish) {
  EXPECT_THAT(Analyzer({Stemmer::kPorter, false}).terms("Running ponies generalizations skies"),
              ElementsAre("run", "poni", "gener", "ski"));
  EXPECT_THAT(Analyzer({Stemmer::kEnglish, false}).terms("Running skies"), ElementsAre("run", "sky"));
}
TEST(Analyzer, DropsStopWordsBeforeStemming) {
  Analyzer porter({Stemmer::kPorter, true});
  EXPECT_THAT(porter.terms("The cat and THE hat: was it so?"), ElementsAre("cat", "hat", "so"));
  EXPECT_THAT(porter.terms("there their these those"), ElementsAre("those"));
  EXPECT_THAT(Analyzer({Stemmer::kNone, true}).terms("to be or not to be"), IsEmpty());
  EXPECT_THAT(Analyzer(kPlain).terms("to be"), ElementsAre("to", "be"));
}
TEST(Analyzer, StripsThePossessiveForEnglishOnly) {
  EXPECT_THAT(Analyzer({Stemmer::kPorter, true}).terms("Parkinson's CROHN’S it's dogs'"),
              ElementsAre("parkinson", "crohn", "dog"));
  EXPECT_THAT(Analyzer({Stemmer::kNone, true}).terms("Parkinson's"), ElementsAre("parkinson's"));
}
TEST(Analyzer, SaysWhereEachTermStands) {
  const std::string_view text = "The  foxes’ dens";
  std::vector<std::string> seen;
  Analyzer({}).analyze(text, [&](std::string_view term, TokenSpan where) {
    seen.push_back(std::string(term) + "=" + std::string(text.substr(where.begin, where.end - where.begin)));
  });
  EXPECT_THAT(seen, ElementsAre("fox=foxes", "den=dens"));
}
TEST(Analyzer, AnswersTheSameFromItsCache) {
  Analyzer analyzer({});
  // More distinct words than the cache has places, so that many are evicted and cached again.
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "word" + std::to_string(i) + "ing hopping the ";
  const std::vector<std::string> first = analyzer.terms(text);
  EXPECT_EQ(analyzer.terms(text), first);
  ASSERT_EQ(first.size(), 80000u);
  for (std::size_t i = 1; i < first.size(); i += 2) ASSERT_EQ(first[i], "hop");
}
TEST(Analyzer, KeepsTermsBounded) {
  std::string growing;
  for (int i = 0; i < 127; ++i) growing += "Ⱥ";  // longer in lower case
  for (const auto stemmer : {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish}) {
    for (const std::string& term : Analyzer({stemmer, true}).terms(growing + " " + std::string(1000, 'y'))) {
      EXPECT_LE(term.size(), kMaxTokenBytes + 4);
      EXPECT_TRUE(is_utf8(term));
    }
  }
}
TEST(Analyzer, TakesATokenOfAnyBytes) {
  Analyzer analyzer({});
  EXPECT_EQ(analyzer.term_of(""), "");
  EXPECT_EQ(analyzer.term_of("\xff\xfe"), "");
  EXPECT_EQ(analyzer.term_of("a\xff"), "");  // "a" is a stop word
}

}  // namespace
}  // namespace frond::text
