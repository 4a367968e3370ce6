// Where terms of standard2 are: pairs of characters, joined words and their parts.
#include "common/text/term_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "common/text/analyzer.h"

namespace frond::text {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct Span {
  TokenSpan where;
  bool main;
  friend bool operator==(const Span&, const Span&) = default;
};

std::vector<Span> fast_spans(std::string_view text, SpanRules rules = {}) {
  std::vector<Span> all;
  for_each_span(
      text,
      [&](TokenSpan where, bool main) {
        all.push_back({where, main});
      },
      rules);
  return all;
}

std::vector<Span> plain_spans(std::string_view text, SpanRules rules = {}) {
  std::vector<Span> all;
  auto sink = [&](TokenSpan where, bool main) { all.push_back({where, main}); };
  SpanCutter spans(text, sink, rules);
  const TokenRules tokens = token_rules(rules);
  for (TokenSpan token = next_token(text, 0, tokens); token.begin != token.end;
       token = next_token(text, token.end, tokens))
    spans.odd(token);
  spans.finish();
  return all;
}

std::vector<std::string> spans(std::string_view text, bool main) {
  std::vector<std::string> all;
  for (const Span& span : fast_spans(text))
    if (span.main == main) all.emplace_back(text.substr(span.where.begin, span.where.end - span.where.begin));
  return all;
}
std::vector<std::string> mains(std::string_view text) { return spans(text, true); }
std::vector<std::string> parts(std::string_view text) { return spans(text, false); }

TEST(TermSpans, PairsCharactersOfScriptsWithoutSpaces) {
  EXPECT_THAT(mains("東京都は"), ElementsAre("東京", "京都", "都は"));
  EXPECT_THAT(parts("東京都は"), UnorderedElementsAre("東", "京", "都"));
  EXPECT_THAT(mains("データ"), ElementsAre("デー", "ータ"));
  EXPECT_THAT(mains("茶。"), ElementsAre("茶"));
  EXPECT_THAT(parts("茶。"), ElementsAre());
  EXPECT_THAT(mains("ไทยน้ำ"), ElementsAre("ไท", "ทย", "ยน้", "น้ำ"));
  EXPECT_THAT(mains("ｶﾞｷﾞ"), ElementsAre("ｶﾞｷﾞ"));
}
TEST(TermSpans, PairsSyllablesOfKorean) {
  EXPECT_THAT(mains("서울에서 물을"), ElementsAre("서울", "울에", "에서", "물을"));
  EXPECT_THAT(parts("서울에서 물을"), ElementsAre("서", "물"));
  EXPECT_THAT(mains("\u1109\u1165\u110b\u116e\u11af"), ElementsAre("\u1109\u1165\u110b\u116e\u11af")) << "in jamo";
}
TEST(TermSpans, TakesScriptsApart) {
  EXPECT_THAT(mains("LG전자 3월 iPhone版本"), ElementsAre("LG", "전자", "3", "월", "iPhone", "版本"));
  EXPECT_THAT(mains("서울_부산"), ElementsAre("서울", "부산"));
}
TEST(TermSpans, JoinsAcrossTheLongestToken) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "ไ";  // 300 bytes, cut at 255 by next_token()
  EXPECT_EQ(mains(text).size(), 99u);
}
TEST(TermSpans, KeepsNamesWithSymbols) {
  EXPECT_THAT(mains("C++, C# and .NET; F#. g++"), ElementsAre("C++", "C#", "and", ".NET", "F#", "g++"));
  EXPECT_THAT(parts("C++ C# .NET"), ElementsAre("C", "C", "NET"));
  EXPECT_THAT(mains("AT&T R&D black&white"), ElementsAre("AT&T", "R&D", "black", "white"));
  EXPECT_THAT(parts("AT&T"), ElementsAre("AT", "T"));
  EXPECT_THAT(mains("page#top end.. +++ a+++ no.5 ...so"), ElementsAre("page", "top", "end", "a", "no", "5", "so"));
}
TEST(TermSpans, KeepsJoinedWordsAndTheirParts) {
  EXPECT_THAT(mains("node.js 3.11.2"), ElementsAre("node.js", "3.11.2"));
  EXPECT_THAT(parts("node.js 3.11.2"), ElementsAre("node", "js", "3", "11", "2"));
  EXPECT_THAT(mains("to user@example.com."), ElementsAre("to", "user@example.com"));
  EXPECT_THAT(parts("to user@example.com."), ElementsAre("user", "example.com", "example", "com"));
  EXPECT_THAT(mains("e-mail @home"), ElementsAre("e", "mail", "home"));
  EXPECT_THAT(mains("café@example.com"), ElementsAre("café@example.com"));
}
TEST(TermSpans, BoundsJoinedWords) {
  std::string text = "a";
  for (int i = 0; i < 300; ++i) text += "@a";
  const std::vector<std::string> all = mains(text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].size(), kMaxTokenBytes);
}

const std::vector<std::string> kSpanPieces = {
    "a", "Z", "word", "0",  "42",   "_",        ".",  "@",  "&",  "+",    "++",    "#",  ",",        "'",
    " ", "-", "\n",   "é",  "ß",    "я",        "’",  "カ", "の", "字",   "서",    "울", "\xcc\x81", "\u1109\u1165",
    "ไ", "น้", "٣",    "ｶﾞ", "\xff", "\xe2\x80", ":",  "·",  "aB", "v1.2", "U.S.A", "👍",  "👍🏽", "🇩",
    "€", "²", "₂",    "½",  "㎏",   "א",        "\"", "׳",  "™"};
constexpr SpanRules kRules[] = {{}, {true, false, true}, {true, true, false}};

std::string random_text(std::mt19937& random, std::size_t pieces) {
  std::string text;
  const std::size_t rare = random() % 2 == 0 ? 17 : kSpanPieces.size();
  for (; pieces > 0; --pieces) text += kSpanPieces[random() % (random() % 4 == 0 ? rare : 17)];
  return text;
}

TEST(TermSpans, AreTheSameFromThePlainTokens) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random, random() % 150);
    const SpanRules rules = kRules[round % 3];
    ASSERT_EQ(fast_spans(text, rules), plain_spans(text, rules)) << text;
    for (const Span& span : fast_spans(text, rules)) {
      ASSERT_LT(span.where.begin, span.where.end) << text;
      ASSERT_LE(span.where.end - span.where.begin, kMaxTokenBytes) << text;
    }
  }
}

TEST(TermSpans, AreTheSameBehindTheLongestToken) {
  for (const char* const first : {"", "\xc3", "é"})
    for (const char* const rest : {".com zdr", ".c", "'s x", ".net.com", "@a.b", "++ c"})
      for (std::size_t length = 252; length < 258; ++length)
        for (std::size_t before = 0; before < 64; ++before) {
          const std::string text = std::string(before, ' ') + first + std::string(length, 'y') + rest;
          for (const SpanRules& rules : kRules) ASSERT_EQ(fast_spans(text, rules), plain_spans(text, rules)) << text;
        }
}

// A document that contains a query between spaces has all the terms that the query asks for.
TEST(TermSpans, LetADocumentMatchEveryQueryThatItContains) {
  std::mt19937 random(4);
  Analyzer analyzers[] = {Analyzer({Stemmer::kPorter, true, AnalyzerKind::kStandard2, true}),
                          Analyzer({Stemmer::kPorter, true, AnalyzerKind::kStandard3, true, true}),
                          Analyzer({Stemmer::kTurkish, false, AnalyzerKind::kStandard3})};
  for (int round = 0; round < 6000; ++round) {
    Analyzer& analyzer = analyzers[round % 3];
    const std::string query = random_text(random, 1 + random() % 12);
    const std::string text = random_text(random, 20) + " " + query + " " + random_text(random, 20);
    const std::vector<std::string> has = analyzer.terms(text);
    for (const std::string& term : analyzer.query_terms(query))
      ASSERT_NE(std::ranges::find(has, term), has.end()) << "query " << query << "\nterm " << term << "\ntext " << text;
  }
}

}  // namespace
}  // namespace frond::text
