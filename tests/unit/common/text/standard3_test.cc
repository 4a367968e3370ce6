// What the analyzer standard3 makes of words, symbols and the parts of words. What finds what: what_finds_what_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "common/text/analyzer.h"
#include "common/text/cut_form.h"
#include "common/text/normal_form.h"
#include "common/text/snippets/term_matches.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AnalyzerConfig standard3(Stemmer stemmer = Stemmer::kNone, bool fold_accents = false, bool split_case = false) {
  return {stemmer, false, AnalyzerKind::kStandard3, fold_accents, split_case};
}
std::vector<std::string> asked(std::string_view text, const AnalyzerConfig& config = standard3()) {
  return Analyzer(config).query_terms(text);
}
// What a document has besides what a query of it asks for.
std::vector<std::string> besides(std::string_view text, const AnalyzerConfig& config = standard3()) {
  Analyzer analyzer(config);
  std::vector<std::string> all = analyzer.terms(text);
  for (const std::string& term : analyzer.query_terms(text)) all.erase(std::ranges::find(all, term));
  return all;
}
std::string form_of(std::string_view text) {
  CutForm form;
  return std::string(form.of(text));
}

TEST(Standard3, TakesJoinedWordsApart) {
  EXPECT_THAT(asked("ERROR:connection MAX_SIZE __init__ col·lecció"),
              ElementsAre("error:connection", "max_size", "__init__", "collecció"));
  EXPECT_THAT(besides("ERROR:connection MAX_SIZE __init__ col·lecció"),
              ElementsAre("error", "connection", "max", "size", "init", "col", "lecció"));
  EXPECT_THAT(besides("a_b_c"), ElementsAre("a", "b", "a_b", "c", "b_c"));
  EXPECT_THAT(besides("x12:30 10:00"), IsEmpty()) << "digits are not joined by a colon";
  EXPECT_THAT(asked("std::vector ___ :: a: :b"), ElementsAre("std", "vector", "a", "b"));
}
TEST(Standard3, AsksForEachFourPartsOfALongWord) {
  EXPECT_THAT(asked("1.2.3.4"), ElementsAre("1.2.3.4"));
  EXPECT_THAT(asked("aa.bb.cc.dd.ee.ff"), ElementsAre("aa.bb.cc.dd", "bb.cc.dd.ee", "cc.dd.ee.ff"));
  EXPECT_EQ(besides("aa.bb.cc.dd.ee.ff").size(), 6u + 5 + 4);
  EXPECT_THAT(asked("x@aa.bb.cc.dd.ee.ff"), ElementsAre("x@aa.bb.cc.dd.ee.ff"));
  std::string chain = "aa";
  for (int i = 0; i < 80; ++i) chain += ".aa";
  EXPECT_LT(Analyzer(standard3()).terms(chain).size(), 4u * 81);
}
TEST(Standard3, TakesInitialsForAWord) {
  EXPECT_THAT(asked("U.S.A. U.S. e.g. С.С.С.Р. É.D.F. i.t."), ElementsAre("usa", "us", "eg", "ссср", "édf", "it"));
  EXPECT_THAT(Analyzer({Stemmer::kPorter, true, AnalyzerKind::kStandard3}).query_terms("I.T. it G.A.S. gas"),
              ElementsAre("it", "ga", "ga"))
      << "not as the stop word, but stemmed as the word";
  EXPECT_THAT(asked("a.b.c.d.e.f.g"), ElementsAre("abcd", "bcde", "cdef", "defg")) << "too many";
  EXPECT_THAT(asked("1.2 aa.b L'O.N.U."), ElementsAre("1.2", "aa.b", "onu"));
}
TEST(Standard3, ReadsVersions) {
  EXPECT_THAT(asked("v1.2.3 V2.0 v7 va.b v.1"), ElementsAre("1.2.3", "2.0", "v7", "va.b", "v", "1"));
  EXPECT_THAT(besides("v1.2.3"), ElementsAre("v1", "2", "1.2", "3", "2.3"));
}
TEST(Standard3, CutsWhatNfkcMakesOfText) {
  EXPECT_THAT(asked("CO₂ H₂O m² ㎏ ½ 2½ ① ①② ｆｕｌｌ＿ｗｉｄｔｈ ﬁx Ⅷ 20℃ №5 ㍿"),
              ElementsAre("co2", "h2o", "m2", "kg", "1", "2", "2", "1", "2", "1", "1", "2", "full_width", "fix", "viii",
                          "20", "°", "c", "no", "5", "株式", "式会", "会社"));
  EXPECT_THAT(asked("10² 2³⁴ x²3 SO₄²⁻ 10₂"), ElementsAre("10", "2", "2", "34", "x23", "so42", "10", "2"));
  EXPECT_THAT(besides("Einstein¹² m² CO₂"), ElementsAre("einstein")) << "of what may be a footnote's mark";
}
TEST(Standard3, HasTermsOfSymbols) {
  EXPECT_THAT(asked("👍 👍👍 ❤️ ❤ €5 ₿ ☃ ∞ → £"),
              ElementsAre("👍", "👍", "👍", "❤", "❤", "€", "5", "₿", "☃", "∞", "→", "£"));
  EXPECT_THAT(asked("🇩🇪🇫🇷🇩 👩‍💻👍🏽"), ElementsAre("🇩🇪", "🇫🇷", "🇩", "👩💻", "👍🏽"));
  EXPECT_THAT(besides("🇩🇪 👩‍💻 👍🏽 ❤️ ❤️‍🔥"), ElementsAre("👩", "💻", "👍", "❤", "🔥"));
  EXPECT_THAT(asked("a−b • “c” … ─── ¦ \ufffd $ < = 서울👍"), ElementsAre("a", "b", "c", "서울", "👍"));
  EXPECT_THAT(asked("Name® Name™ ® ™"), ElementsAre("name", "name", "®", "™"));
  EXPECT_THAT(besides("Name® Name™"), ElementsAre("®", "™"));
  std::string long_one = "👍";
  for (int i = 0; i < 300; ++i) long_one += "\u0301";
  for (const std::string& term : asked(long_one)) EXPECT_LE(term.size(), kMaxTokenBytes);
}
TEST(Standard3, KnowsHebrewMarks) {
  EXPECT_THAT(asked("צה\"ל צה״ל צה”ל צָה\"ל"), ElementsAre("צה״ל", "צה״ל", "צה״ל", "צָה״ל"));
  EXPECT_THAT(asked("צ'יפס צ׳יפס צ’יפס ג׳ ג'"), ElementsAre("צ׳יפס", "צ׳יפס", "צ׳יפס", "ג", "ג"));
  EXPECT_THAT(asked("\"שלום\" a\"b"), ElementsAre("שלום", "a", "b"));
}
TEST(Standard3, KnowsTurkishLetters) {
  EXPECT_THAT(asked("IRK ırk İSTANBUL istanbul I\u0307ki"), ElementsAre("irk", "irk", "istanbul", "istanbul", "iki"));
  const AnalyzerConfig turkish = standard3(Stemmer::kTurkish);
  EXPECT_EQ(asked("KIZLARIN", turkish), asked("kızların", turkish));
  EXPECT_EQ(asked("IŞIK", turkish), asked("ışık", turkish));
  EXPECT_THAT(asked("ISTANBUL İSTANBUL'DA istanbul’un İstanbul I\u0307stanbul", turkish),
              ElementsAre("istanbul", "istanbul", "istanbul", "istanbul", "istanbul"));
  EXPECT_THAT(besides("İSTANBUL'DA", turkish), IsEmpty());
  EXPECT_THAT(besides("İSTANBUL'DA"), ElementsAre("istanbul", "da"));
}
TEST(Standard3, TakesEndingsAndNoOthersBehindApostrophes) {
  for (const char* const word : {"don't", "it's", "WE'LL", "they're", "we've", "he'd", "I'm", "O'Brien", "l'école",
                                 "dell'arte", "D'Souza", "об'єкт"})
    EXPECT_THAT(besides(word), IsEmpty()) << word;
  EXPECT_THAT(besides("rock'n Google'i"), ElementsAre("rock", "n", "google", "i"));
  EXPECT_FALSE(has_ending("don", "t"));
  EXPECT_TRUE(has_ending("abc", "the"));
  EXPECT_TRUE(has_ending("rock", "\u00e9t\u00e9"));
  for (const char* const digits : {"456", "000'000", "\u00b2"}) EXPECT_FALSE(has_ending("123", digits)) << digits;
  EXPECT_THAT(besides("123'456 1'000'000 123\u2019456"), IsEmpty());
}
TEST(Standard3, SplitsAtCapitalsIfAsked) {
  const AnalyzerConfig split = standard3(Stemmer::kNone, false, true);
  EXPECT_THAT(asked("getElementById", split), ElementsAre("getelementbyid"));
  EXPECT_THAT(besides("getURLOf utf8Decoder MAX_SIZE Fox", split),
              ElementsAre("get", "url", "geturl", "of", "urlof", "utf8", "decoder", "max", "size"));
  EXPECT_THAT(besides("getElementById"), IsEmpty());
}
TEST(Standard3, FindsItselfInTheFirstPieceAndTheLast) {
  const std::string filler(200 << 10, ' ');
  const std::string text = "½ cup" + filler + "CO₂ ㎏" + filler + "①";
  EXPECT_THAT(asked(text), ElementsAre("1", "2", "cup", "co2", "kg", "1"));
}

// Texts with nothing between words.
TEST(CutForm, ComesInPiecesOfABoundedLength) {
  for (const std::string character :
       {"\u3316", "\u00bd", "\u337f", "\uff41", "\u3316\u0301", "\u338f\u337f", "\u32a4"}) {
    std::string text;
    while (text.size() < (1 << 20)) text += character;
    CutForm form;
    std::size_t longest = 0;
    form.in_pieces(text, [&](std::string_view piece, std::size_t) { longest = std::max(longest, piece.size()); });
    EXPECT_LE(longest, std::size_t{65} << 10) << character;
  }
}
TEST(CutForm, HasTheWordsOfTheWholeInItsPieces) {
  const std::string_view parts[] = {"\u3316", "\u00bd", "\u337f", "\uff41", "\u0301", "\u338f", "\u32a4", "中",    "国",
                                    "が",     "カ",     "\u3099", "한",     "국",     "ก",      "a",      "A",     "1",
                                    "_",      ".",      "'",      "@",      "&",      "+",      "#",      ":",     "。",
                                    "☺",      "\u200d", "²",      "\xff",   "צ",      "\"",     "ל",      "\u30fb"};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::string_view> some;
    for (std::size_t i = 1 + random() % 5; i > 0; --i) some.push_back(parts[random() % std::size(parts)]);
    std::string text;
    while (text.size() < (100 << 10) + random() % 100000)
      text += random() % 50 == 0 ? parts[random() % std::size(parts)] : some[random() % some.size()];
    if (seed % 4 == 0) text.insert(text.size() / 2, " ");
    const AnalyzerConfig config = standard3(Stemmer::kNone, false, seed % 3 == 0);
    Analyzer analyzer(config);
    CutForm form;
    const std::string_view whole = form.of(text);
    using Term = std::pair<std::string, std::size_t>;  // with its end, of which the whole has no two alike
    std::vector<Term> expected, found;
    for_each_span(
        whole,
        [&](TokenSpan span, bool) {
          const std::string_view term = analyzer.term_of(whole.substr(span.begin, span.end - span.begin));
          if (!term.empty()) expected.emplace_back(term, form.original(span).end);
        },
        span_rules(config));
    analyzer.analyze(text, [&](std::string_view term, TokenSpan where) { found.emplace_back(term, where.end); });
    EXPECT_TRUE(found == expected) << text.substr(0, 200);
  }
}

TEST(CutForm, IsTheTextItselfMostly) {
  for (const std::string text : {"", "plain words", "naïve café “quotes” … – №"})
    EXPECT_EQ(CutForm::changes(text), text.find("№") != std::string::npos);
  for (const std::string text :
       {"日本語の、文。！？", "собака ёлка", "ﬁle m² CO₂ ™ ª", "\xff\xe2\x84", "한국어", "ｶﾞ"}) {
    CutForm form;
    EXPECT_EQ(form.of(text).data(), text.data()) << text;
  }
}
TEST(CutForm, SaysWherePartsStandInTheText) {
  CutForm form;
  const std::string text = "a ½ ㎏b";
  ASSERT_EQ(form.of(text), "a  1/2  kgb");
  EXPECT_EQ(form.original({0, 1}), (TokenSpan{0, 1}));
  EXPECT_EQ(form.original({3, 4}), (TokenSpan{2, 4})) << "the 1";
  EXPECT_EQ(form.original({5, 6}), (TokenSpan{2, 4})) << "the 2";
  EXPECT_EQ(form.original({8, 11}), (TokenSpan{5, 9})) << "kgb";
  EXPECT_EQ(form.original({10, 11}), (TokenSpan{8, 9})) << "b";
}
TEST(CutForm, OfAFormIsTheFormItself) {
  std::string all;
  std::size_t longest = 0;
  for (char32_t c = 0; c < 0x20000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string one;
    append_utf8(c, one);
    const std::string once = form_of(one);
    ASSERT_EQ(form_of(once), once) << std::hex << static_cast<std::uint32_t>(c);
    longest = std::max(longest, once.size() / one.size());
    all += one;
  }
  EXPECT_LE(longest, 7u);
  EXPECT_EQ(form_of(form_of(all)), form_of(all));
  for (const std::string text : {"צה\"ל", "צ'יפס ג׳ ׳", "ŀl", "2½½", "①①"})
    EXPECT_EQ(form_of(form_of(text)), form_of(text));
}

TEST(Standard3, MarksWhatItFindsInTexts) {
  Analyzer analyzer(standard3());
  const auto found = [&](const std::string& text, std::string_view query) {
    std::vector<std::string> all;
    for (const TermMatch& match : find_terms(analyzer, text, analyzer.query_terms(query)))
      all.push_back(text.substr(match.where.begin, match.where.end - match.where.begin));
    return all;
  };
  EXPECT_THAT(found("an ERROR:connection refused", "connection"), ElementsAre("connection"));
  EXPECT_THAT(found("the U.S.A. and the USA", "usa"), ElementsAre("U.S.A", "USA"));
  EXPECT_THAT(found("70 ㎏ of CO₂, 2½", "kg co2 1/2"), ElementsAre("㎏", "CO₂", "2", "½"));
  EXPECT_THAT(found("since v1.2.3", "1.2.3"), ElementsAre("v1.2.3"));
  EXPECT_THAT(found("x℃ 10² 2½", "c"), ElementsAre("℃"));
  EXPECT_THAT(found("x℃ 10² 3½", "2"), ElementsAre("²", "½"));
  EXPECT_THAT(found("great 🍕🍕 ❤️", "🍕 ❤"), ElementsAre("🍕", "🍕", "❤️"));
  EXPECT_THAT(found("של צה\"ל", "צה״ל"), ElementsAre("צה\"ל"));
}

}  // namespace
}  // namespace frond::text
