// What the analyzer standard2 makes of words, and which queries find which texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/text/analyzer.h"
#include "common/text/normal_form.h"
#include "common/text/snippets/term_matches.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AnalyzerConfig standard2(Stemmer stemmer = Stemmer::kNone, bool stop_words = false, bool fold_accents = false) {
  return {stemmer, stop_words, AnalyzerKind::kStandard2, fold_accents};
}
std::vector<std::string> terms(std::string_view text, const AnalyzerConfig& config = standard2()) {
  return Analyzer(config).terms(text);
}

TEST(Standard2, FoldsCaseAndWidth) {
  EXPECT_THAT(terms("Straße STRASSE ﬁx Ｆｒｏｎｄ ① ΣΊΣΥΦΟΣ İstanbul"),
              ElementsAre("strasse", "strasse", "fix", "frond", "σίσυφοσ", "istanbul"));
  EXPECT_THAT(terms("e\u0301cole école ÉCOLE"), ElementsAre("école", "école", "école"));
}
TEST(Standard2, DropsWhatIsNotSeen) {
  EXPECT_THAT(terms("exam\u00adple co\u200dop \u00ad"), ElementsAre("example", "coop"));
}
TEST(Standard2, TakesApostrophesForOne) {
  EXPECT_THAT(terms("don't don’t DON＇T"), ElementsAre("don't", "don't", "don't"));
  EXPECT_THAT(terms("l'école d’Artagnan qu'il dell'arte l’homme aujourd'hui"),
              ElementsAre("école", "artagnan", "il", "arte", "homme", "aujourd'hui"));
  EXPECT_THAT(terms("O'Brien O’Brien obrien D'Souza"), ElementsAre("obrien", "obrien", "obrien", "d'souza"));
  EXPECT_THAT(terms("Parkinson's CROHN’S it's", standard2(Stemmer::kPorter, true)), ElementsAre("parkinson", "crohn"));
}
TEST(Standard2, ReadsGroupsOfDigits) {
  EXPECT_THAT(terms("3,000,000 1,2 12,34,567 1234,567"), ElementsAre("3000000", "1,2", "12,34,567", "1234,567"));
}
TEST(Standard2, FoldsAccentsIfAsked) {
  EXPECT_THAT(terms("Müller café Ελλάδα Łódź Æsir øre ёлка й"),
              ElementsAre("müller", "café", "ελλάδα", "łódź", "æsir", "øre", "ёлка", "й"));
  EXPECT_THAT(terms("Müller café Ελλάδα Łódź Æsir øre ёлка й", standard2(Stemmer::kNone, false, true)),
              ElementsAre("muller", "cafe", "ελλαδα", "lodz", "aesir", "ore", "елка", "й"));
}
TEST(Standard2, StemsEveryLanguageThatItNames) {
  for (std::size_t i = 0; i < kStemmerNames.size(); ++i)
    EXPECT_THAT(terms("x 1", standard2(static_cast<Stemmer>(i))), ElementsAre("x", "1")) << kStemmerNames[i];
  EXPECT_THAT(terms("continuellement maisons", standard2(Stemmer::kFrench)), ElementsAre("continuel", "maison"));
  EXPECT_THAT(terms("Häuser Häusern", standard2(Stemmer::kGerman)), ElementsAre("haus", "haus"));
  EXPECT_THAT(terms("собаками собака", standard2(Stemmer::kRussian)), ElementsAre("собак", "собак"));
}
TEST(Standard2, IsStandardForPlainWords) {
  const std::string text = "The quick foxes, running over 12 lazy dogs; then 3 generalizations of skies_and_x.";
  EXPECT_EQ(terms(text, standard2(Stemmer::kPorter, true)), Analyzer({}).terms(text));
}
TEST(Standard2, KeepsTermsBounded) {
  std::string growing;
  for (int i = 0; i < 80; ++i) growing += "ﷺ";  // 18 letters in normal form
  for (const std::string& term : terms(growing)) {
    EXPECT_LE(term.size(), kMaxTokenBytes);
    EXPECT_TRUE(is_utf8(term));
  }
  EXPECT_THAT(terms("\u00ad \xff\xfe"), IsEmpty());
}
TEST(Standard2, MarksWhatItFindsInTexts) {
  Analyzer analyzer(standard2());
  const auto found = [&](const std::string& text, std::string_view query) {
    std::vector<std::string> all;
    for (const TermMatch& match : find_terms(analyzer, text, analyzer.query_terms(query)))
      all.push_back(text.substr(match.where.begin, match.where.end - match.where.begin));
    return all;
  };
  EXPECT_THAT(found("À l’école", "école"), ElementsAre("l’école"));
  EXPECT_THAT(found("그는 서울에서 산다", "서울에서"), ElementsAre("서울", "에", "서"));
  EXPECT_THAT(found("mail user@example.com", "example"), ElementsAre("example"));
  EXPECT_THAT(found("mail user@example.com", "com user@example.com"), ElementsAre("user@example.com"));
}

}  // namespace
}  // namespace frond::text
