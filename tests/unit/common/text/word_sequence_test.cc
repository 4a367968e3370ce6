#include "common/text/word_sequence.h"

#include <gtest/gtest.h>

#include <string>

namespace frond::text {
namespace {

std::string sequence(AnalyzerKind kind, std::string_view text) {
  AnalyzerConfig config;
  config.kind = kind;
  Analyzer analyzer(config);
  WordSequence words;
  std::string all;
  words.for_each(analyzer, text, [&](std::string_view term) {
    if (!all.empty()) all += ' ';
    all += term.empty() ? "_" : term;
  });
  return all;
}

TEST(WordSequence, HasEveryWordAndGapsForStopWords) {
  for (const auto kind : {AnalyzerKind::kStandard, AnalyzerKind::kStandard2, AnalyzerKind::kStandard3}) {
    EXPECT_EQ(sequence(kind, "The quick brown fox"), "_ quick brown fox");
    EXPECT_EQ(sequence(kind, "hard links, and then: links"), "hard link _ _ link");
    EXPECT_EQ(sequence(kind, ""), "");
  }
}

TEST(WordSequence, HasThePartsOfJoinedWords) {
  for (const auto kind : {AnalyzerKind::kStandard2, AnalyzerKind::kStandard3}) {
    EXPECT_EQ(sequence(kind, "a node.js server"), "_ node j server");
    EXPECT_EQ(sequence(kind, "node js server"), "node j server");
    EXPECT_EQ(sequence(kind, "C++ code, .NET code"), "c++ code .net code");
    EXPECT_EQ(sequence(kind, "mail user@example.com now"), "mail user exampl com now");
  }
  EXPECT_EQ(sequence(AnalyzerKind::kStandard3, "nginx:latest of 3.11.2"), "nginx latest _ 3 11 2");
}

TEST(WordSequence, HasPairsOfCharacters) {
  for (const auto kind : {AnalyzerKind::kStandard2, AnalyzerKind::kStandard3}) {
    EXPECT_EQ(sequence(kind, "서울에서 만나"), "서울 울에 에서 만나");
    EXPECT_EQ(sequence(kind, "日本語"), "日本 本語");
    EXPECT_EQ(sequence(kind, "日"), "日");
  }
}

TEST(WordSequence, HasNoPlaceForSymbolsThatPeopleLeaveOut) {
  EXPECT_EQ(sequence(AnalyzerKind::kStandard3, "Acme™ rockets, Acme® Rockets©"), "acm rocket acm rocket");
  EXPECT_EQ(sequence(AnalyzerKind::kStandard3, "Acme rockets"), "acm rocket");
  EXPECT_EQ(sequence(AnalyzerKind::kStandard3, "© Acme → rockets"), "© acm → rocket");
}

// A long run of characters is not held as a whole.
TEST(WordSequence, OfALongRunIsAllItsPairs) {
  for (const auto kind : {AnalyzerKind::kStandard2, AnalyzerKind::kStandard3}) {
    for (const std::string three : {"日本語", "서울에", "ไทย"}) {
      const std::string pairs = sequence(kind, three + three.substr(0, 3)) + " ";
      std::string text = three, expected;
      for (int i = 0; i < 5'000; ++i) {
        text += three;
        expected += pairs;
      }
      EXPECT_TRUE(sequence(kind, text) == expected + sequence(kind, three)) << three;
    }
  }
}

// A phrase from the middle of a text is a part of the text's sequence.
TEST(WordSequence, OfAPartIsAPartOfTheSequence) {
  const std::string whole =
      sequence(AnalyzerKind::kStandard3, "Use v1.2 of user-agent headers: e.g. O'Neill's AT&T API");
  for (const std::string_view part : {"v1.2", "user-agent headers", "O'Neill's AT&T", "AT&T API"})
    EXPECT_NE(whole.find(sequence(AnalyzerKind::kStandard3, part)), whole.npos) << part << " in " << whole;
}

}  // namespace
}  // namespace frond::text
