#include "common/text/stop_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/text/analyzer.h"

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AnalyzerConfig with(StopWords stop_words, Stemmer stemmer = Stemmer::kNone, bool fold_accents = false) {
  return {stemmer, std::move(stop_words), AnalyzerKind::kStandard2, fold_accents};
}

TEST(StopWords, OfALanguageAreDroppedByEveryAnalyzer) {
  for (const StopWordList& list : stop_word_lists()) {
    const StopWords stop_words = *StopWords::named(list.language);
    EXPECT_EQ(stop_words.name(), list.language);
    const Stemmer own = stemmer_named(list.language).value_or(Stemmer::kNone);
    for (const AnalyzerConfig& config :
         {AnalyzerConfig{Stemmer::kNone, stop_words}, AnalyzerConfig{Stemmer::kPorter, stop_words}, with(stop_words),
          with(stop_words, own), with(stop_words, own, true)}) {
      Analyzer analyzer(config);
      for (const std::string& word : stop_words.words())
        EXPECT_THAT(analyzer.terms(word), IsEmpty()) << word << ", " << described(config);
      EXPECT_FALSE(analyzer.terms("xylophone").empty());
    }
  }
}

TEST(StopWords, OfALanguageAreSmallAndComeOnce) {
  for (const StopWordList& list : stop_word_lists()) {
    std::vector<std::string> words = StopWords::named(list.language)->words();
    std::ranges::sort(words);
    EXPECT_EQ(std::ranges::adjacent_find(words), words.end()) << list.language;
    Analyzer plain(with(false));
    for (const std::string& word : words) EXPECT_THAT(plain.terms(word), ElementsAre(word)) << list.language;
  }
}

TEST(StopWords, AreComparedInNormalFormAndBeforeStemming) {
  const StopWords own = *StopWords::own({"don't", "Straße", "été", "3,000", "node.js"});
  Analyzer analyzer(with(own, Stemmer::kPorter));
  EXPECT_THAT(analyzer.terms("Don’t STRASSE E\u0301TÉ ete 3000 straßes"), ElementsAre("et", "strass"));
  EXPECT_THAT(Analyzer(with(own, Stemmer::kNone, true)).terms("ete Ete\u0301 été"), IsEmpty());
  EXPECT_THAT(Analyzer(with(own)).query_terms("Node.js"), IsEmpty());
  EXPECT_THAT(Analyzer(with(own)).terms("node.js"), ElementsAre("node", "js"));  // its parts are other words
  EXPECT_THAT(Analyzer(with(*StopWords::named("french"), Stemmer::kFrench)).terms("qu'il l’école des chats"),
              ElementsAre("écol", "chat"));
}

TEST(StopWords, OfOnesOwnAreSortedAndBounded) {
  const StopWords own = *StopWords::own({"b", "a", "b"});
  EXPECT_THAT(own.own_words(), ElementsAre("a", "b"));
  EXPECT_EQ(own.name(), "own");
  EXPECT_EQ(own, *StopWords::own({"a", "b"}));
  EXPECT_NE(own, *StopWords::own({"a"}));
  EXPECT_NE(own, StopWords(true));
  EXPECT_EQ(*StopWords::named("english"), StopWords(true));
  EXPECT_EQ(*StopWords::named("none"), StopWords(false));
  EXPECT_FALSE(StopWords::named("own").has_value());
  EXPECT_EQ(StopWords::own({}), Code::kInvalid);
  EXPECT_EQ(StopWords::own({""}), Code::kInvalid);
  EXPECT_EQ(StopWords::own({"\xff"}), Code::kInvalid);
  EXPECT_EQ(StopWords::own({std::string(kMaxTokenBytes + 1, 'a')}), Code::kInvalid);
  std::vector<std::string> many;
  for (std::size_t i = 0; i <= StopWords::kMaxOwn; ++i) many.push_back("w" + std::to_string(i));
  EXPECT_EQ(StopWords::own(many), Code::kInvalid);
  many.pop_back();
  EXPECT_TRUE(StopWords::own(many));
  for (std::string& word : many) word += "aaaaaaaaaaaaaaaaa";
  EXPECT_EQ(StopWords::own(many), Code::kInvalid);
}

}  // namespace
}  // namespace frond::text
