// Where words begin and end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "common/text/analyzer.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0;;) {
    const TokenSpan token = Analyzer::next_token(text, at);
    if (token.begin == token.end) return all;
    all.emplace_back(text.substr(token.begin, token.end - token.begin));
    at = token.end;
  }
}

TEST(NextToken, CutsAtSpacesAndPunctuation) {
  EXPECT_THAT(words("Hello, (brave) new-world!"), ElementsAre("Hello", "brave", "new", "world"));
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(" \t\n--..,,''"), IsEmpty());
}
TEST(NextToken, KeepsLettersAndDigitsTogether) {
  EXPECT_THAT(words("p53 3D x86_64 CD4+"), ElementsAre("p53", "3D", "x86_64", "CD4"));
}
TEST(NextToken, KeepsWhatStandsBetweenTwoLetters) {
  EXPECT_THAT(words("can't O’Neil e.g. U.S.A. std:io l·l"),
              ElementsAre("can't", "O’Neil", "e.g", "U.S.A", "std:io", "l·l"));
  EXPECT_THAT(words("'quoted' end. a,b a;b"), ElementsAre("quoted", "end", "a", "b", "a", "b"));
}
TEST(NextToken, KeepsWhatStandsBetweenTwoDigits) {
  EXPECT_THAT(words("3.14 1,000;5 10'000 1:2 3.a a.3"),
              ElementsAre("3.14", "1,000;5", "10'000", "1", "2", "3", "a", "a", "3"));
}
TEST(NextToken, NeedsMoreThanConnectors) { EXPECT_THAT(words("___ _a_ __init__ ‿"), ElementsAre("_a_", "__init__")); }
TEST(NextToken, TakesIdeographsAndHiraganaOneByOneAndKatakanaInRuns) {
  EXPECT_THAT(words("東京タワーは高い"), ElementsAre("東", "京", "タワー", "は", "高", "い"));
  EXPECT_THAT(words("タワーtower"), ElementsAre("タワー", "tower"));
  EXPECT_THAT(words("한국어 텍스트"), ElementsAre("한국어", "텍스트"));
}
TEST(NextToken, KeepsMarksAndFormatCharactersWithTheirLetter) {
  EXPECT_THAT(words("e\u0301te\u0301 a\u00adb"), ElementsAre("e\u0301te\u0301", "a\u00adb"));
  EXPECT_THAT(words("n\u0303'\u0301o"), ElementsAre("n\u0303'\u0301o"));
  EXPECT_THAT(words("\u0301 \u200b"), IsEmpty());
  EXPECT_THAT(words("a\u200bb"), ElementsAre("a", "b"));
}
TEST(NextToken, KnowsTheLettersOfManyScripts) {
  EXPECT_THAT(words("Привет κόσμε שלום مرحبا नमस्ते ١٢٣"),
              ElementsAre("Привет", "κόσμε", "שלום", "مرحبا", "नमस्ते", "١٢٣"));
  EXPECT_THAT(words("cm² ½ ⅷ"), ElementsAre("cm", "ⅷ"));
}
TEST(NextToken, TreatsBrokenBytesAsTheEndOfAWord) {
  EXPECT_THAT(words("ab\xff"
                    "cd\xc3"),
              ElementsAre("ab", "cd"));
  EXPECT_THAT(words(std::string_view("a\0b", 3)), ElementsAre("a", "b"));
}
TEST(NextToken, CutsLongWordsBetweenCodePoints) {
  EXPECT_THAT(words(std::string(600, 'x')),
              ElementsAre(std::string(255, 'x'), std::string(255, 'x'), std::string(90, 'x')));
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ä";
  const std::vector<std::string> pieces = words(umlauts);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].size(), 254u);
  EXPECT_TRUE(is_utf8(pieces[0]) && is_utf8(pieces[1]));
}
TEST(NextToken, GoesForwardOnAnyBytes) {
  const unsigned seed = 20;
  std::mt19937 random(seed);
  const std::string_view parts[] = {
      "a", "9", ".", ":", ",", "_", " ", "\xcc\x81", "\xe6\x9d\xb1", "\xe3\x82\xbf", "\xff", "\xc3", "\xe2\x80\x99"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned i = random() % 40; i > 0; --i) text += parts[random() % std::size(parts)];
    std::size_t at = 0;
    for (TokenSpan token = Analyzer::next_token(text, 0); token.begin != token.end;
         token = Analyzer::next_token(text, at)) {
      ASSERT_GE(token.begin, at) << "seed " << seed << " round " << round;
      ASSERT_GT(token.end, token.begin);
      ASSERT_LE(token.end, text.size());
      ASSERT_TRUE(is_utf8(std::string_view(text).substr(token.begin, token.end - token.begin)));
      at = token.end;
    }
  }
}

}  // namespace
}  // namespace frond::text
