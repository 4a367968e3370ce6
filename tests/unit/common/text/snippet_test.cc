#include "common/text/snippets/snippet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "common/text/utf8.h"

namespace frond::text {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kEllipsis = "…";

std::string filler(int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "lorem ";
  return text;
}
// The snippet, with marks shown as brackets.
std::string show(std::string_view body, std::vector<std::string> terms, std::size_t max_bytes = kSnippetBytes) {
  Analyzer analyzer({});
  std::string text = snippet(analyzer, body, terms, max_bytes);
  for (char& c : text) c = c == '\x02' ? '[' : c == '\x03' ? ']' : c;
  return text;
}

TEST(Snippet, ShowsAShortBodyWhole) {
  EXPECT_EQ(show("  Foxes\n\n dig \t dens. ", {"fox", "den"}), "[Foxes] dig [dens].");
  EXPECT_EQ(show("Nothing here.", {"fox"}), "Nothing here.");
  EXPECT_EQ(show("", {"fox"}), "");
  EXPECT_EQ(show("fox", {"fox"}, 0), "");
}
TEST(Snippet, IsCutBehindWholeCharactersAlsoWhereBytesAreReplaced) {
  const std::string body = "fox and \xd1\xd1\xdf\xac den";  // two bytes that are not UTF-8, and a mark on the second
  for (std::size_t bytes = 0; bytes < 30; ++bytes) EXPECT_TRUE(is_utf8(show(body, {"fox"}, bytes))) << bytes;
}
TEST(Snippet, FallsBackToTheBeginning) {
  const std::string text = show("Start of " + filler(100), {"fox"});
  EXPECT_THAT(text, StartsWith("Start of lorem"));
  EXPECT_THAT(text, EndsWith("lorem" + kEllipsis));
}
TEST(Snippet, PrefersTheWindowWithMostTermsThenMostOccurrences) {
  const std::string body = "fox fox fox " + filler(100) + "one fox in one den here " + filler(100) +
                           "a fox, a den, a fox again " + filler(100);
  const std::string text = show(body, {"fox", "den"});
  EXPECT_THAT(text, HasSubstr("a [fox], a [den], a [fox] again"));
  EXPECT_THAT(text, StartsWith(kEllipsis + "lorem"));
  EXPECT_THAT(text, EndsWith("lorem" + kEllipsis));
}
TEST(Snippet, MarksMatchesInTheSurroundingsToo) {
  EXPECT_EQ(show("den fox", {"fox", "den"}), "[den] [fox]");
  EXPECT_THAT(show(filler(50) + "den " + filler(3) + "fox " + filler(80), {"fox", "den"}), HasSubstr("[den]"));
}
TEST(Snippet, HasNoMarksButItsOwn) {
  EXPECT_EQ(show("a \x02"
                 "b\x03 fox\x01",
                 {"fox"}),
            "a b [fox]");
}
TEST(Snippet, KeepsToItsBudget) {
  const std::string body = filler(100) + "fox " + filler(100);
  for (std::size_t budget = 1; budget < 300; ++budget) {
    std::string text = show(body, {"fox"}, budget);
    const std::size_t extra = 2 * kEllipsis.size() + 2;
    EXPECT_LE(text.size(), budget + extra) << budget;
    if (budget >= 3) {
      EXPECT_THAT(text, HasSubstr("[fox]")) << budget;
    }
  }
  EXPECT_THAT(show(std::string(5000, 'x'), {}), Not(StartsWith(kEllipsis)));
}
TEST(Snippet, LooksAtTheFirstPartOfABodyOnly) {
  const std::string body = filler(kSnippetScanBytes / 6 + 10) + "fox";
  EXPECT_THAT(show(body, {"fox"}), Not(HasSubstr("[")));
}
// Words that are easily confused: case, accents, letters with an unusual lower case, possessives, stems.
TEST(Snippet, MarksTheWordsWhoseTermsAreAskedForAndNoOthers) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  const std::vector<std::string> words = {
      "Fox",   "foxes",  "FOX'S", "fo",        "yes",  "Yellow", "dying",    "die",    "skies", "sky",
      "ÉCOLE", "école",  "ecole", "\u212Aing", "king", "Kings",  "İstanbul", "ISS",    "is",    "the",
      "3rd",   "_under", "東",    "ies",       "s",    "us",     "Æsop",     "ǅungla", "zoo",   "generously"};
  for (const Stemmer stemmer : {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish}) {
    Analyzer analyzer({stemmer, true});
    for (int round = 0; round < 500; ++round) {
      std::string body, expected, term;
      std::vector<std::string> terms;
      for (unsigned i = random() % 4; i > 0; --i) {
        term = analyzer.term_of(words[random() % words.size()]);
        if (!term.empty()) terms.push_back(term);
      }
      for (int i = 0; i < 6; ++i) {
        const std::string& word = words[random() % words.size()];
        term = analyzer.term_of(word);
        const bool marked = std::find(terms.begin(), terms.end(), term) != terms.end();
        body += (i > 0 ? " " : "") + word;
        expected += (i > 0 ? " " : "") + (marked ? "\x02" + word + "\x03" : word);
      }
      ASSERT_EQ(snippet(analyzer, body, terms, kSnippetBytes), expected) << "seed " << seed << " round " << round;
    }
  }
}
TEST(Snippet, IsValidUtf8WhateverTheBody) {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  const std::string_view parts[] = {"fox",  " ",  "é",      "東", "\xff", "\xe2\x82",
                                    "den ", "\n", "\u3000", "😀",  "\x02", "word "};
  Analyzer analyzer({});
  const std::vector<std::string> terms = {"fox", "den"};
  for (int round = 0; round < 3000; ++round) {
    std::string body;
    for (unsigned i = random() % 200; i > 0; --i) body += parts[random() % std::size(parts)];
    const std::size_t budget = random() % 260;
    const std::string text = snippet(analyzer, body, terms, budget);
    ASSERT_TRUE(is_utf8(text)) << "seed " << seed << " round " << round;
    const auto marks = std::count(text.begin(), text.end(), '\x02');
    ASSERT_EQ(marks, std::count(text.begin(), text.end(), '\x03'));
    ASSERT_LE(text.size(), budget + 2 * kEllipsis.size() + 2 * static_cast<std::size_t>(marks)) << "round " << round;
  }
}

}  // namespace
}  // namespace frond::text
