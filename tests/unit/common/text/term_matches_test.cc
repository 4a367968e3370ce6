// The vector path finds what cutting the whole text finds.
#include "common/text/term_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/text/word_starts.h"
#include "tests/support/instruction_sets.h"

namespace frond::text {
namespace {

std::vector<TermMatch> by_cutting_all(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms) {
  std::vector<std::string_view> distinct;
  for (const std::string& term : terms)
    if (!term.empty() && std::ranges::find(distinct, term) == distinct.end()) distinct.push_back(term);
  std::vector<TermMatch> matches;
  analyzer.analyze(text, [&](std::string_view term, TokenSpan where) {
    const auto found = std::ranges::find(distinct, term);
    if (found != distinct.end()) matches.push_back({where, static_cast<std::uint32_t>(found - distinct.begin())});
  });
  return matches;
}

void expect_the_same(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms) {
  const auto expected = by_cutting_all(analyzer, text, terms), found = find_terms(analyzer, text, terms);
  ASSERT_EQ(found.size(), expected.size()) << text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].where.begin, expected[i].where.begin) << text;
    ASSERT_EQ(found[i].where.end, expected[i].where.end) << text;
    ASSERT_EQ(found[i].term, expected[i].term) << text;
  }
}

// Pieces that meet at random: words, what joins and separates them, other scripts, bytes that are no UTF-8, long words.
std::string random_text(std::mt19937_64& random, std::size_t pieces) {
  static const std::vector<std::string> kPieces = {"fox",
                                                   "Foxes",
                                                   "fo",
                                                   "f",
                                                   "den",
                                                   "dying",
                                                   "die",
                                                   "o'clock",
                                                   "u.s.",
                                                   "3.14",
                                                   "3,000",
                                                   "_fox",
                                                   "fox_",
                                                   "été",
                                                   "狐狸",
                                                   "き",
                                                   "\xcc\x81",
                                                   "ﬁx",
                                                   "ΑΒΓ",
                                                   "\xff",
                                                   "\xe2\x80",
                                                   "’s",
                                                   "'s",
                                                   "x",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   "\n",
                                                   "\t",
                                                   ", ",
                                                   ". ",
                                                   "-",
                                                   "/",
                                                   ":",
                                                   ".",
                                                   ",",
                                                   "'",
                                                   "_",
                                                   std::string(1, '\0'),
                                                   "lorem ipsum dolor sit amet ",
                                                   std::string(70, 'q'),
                                                   std::string(250, 'z')};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(TermMatches, AreThoseOfTheWholeTextCutIntoTokens) {
  Analyzer stemming({}), plain({.stemmer = Stemmer::kNone});
  support::with_every_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    std::mt19937_64 random(7);
    for (int round = 0; round < 4000; ++round) {
      const std::string text = random_text(random, random() % 60);
      std::vector<std::string> terms;
      for (std::size_t i = 0, count = round % 11 == 0 ? 20 : random() % 3; i <= count; ++i) {
        const auto all = stemming.terms(round % 2 == 0 ? random_text(random, 4) : text);
        if (!all.empty()) terms.push_back(all[random() % all.size()]);
      }
      if (round % 7 == 0) terms.emplace_back();
      expect_the_same(stemming, text, terms);
      expect_the_same(plain, text, terms);
    }
  });
}

TEST(TermMatches, AreFoundInPiecesOfWordsThatAreTooLong) {
  Analyzer analyzer({.stemmer = Stemmer::kNone});
  for (std::size_t before = 0; before < 130; ++before) {
    const std::string text = std::string(before, ' ') + std::string(kMaxTokenBytes, 'z') + "fox and more";
    expect_the_same(analyzer, text, std::vector<std::string>{"fox"});
    EXPECT_EQ(find_terms(analyzer, text, std::vector<std::string>{"fox"}).size(), 1u);
  }
}

TEST(TermMatches, AreNoneWithoutTerms) {
  Analyzer analyzer({});
  EXPECT_TRUE(find_terms(analyzer, "the fox", {}).empty());
  EXPECT_TRUE(find_terms(analyzer, "the fox", std::vector<std::string>{""}).empty());
  EXPECT_TRUE(find_terms(analyzer, "", std::vector<std::string>{"fox"}).empty());
}

TEST(WordStarts, AreFoundByteForByte) {
  support::with_every_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    std::mt19937_64 random(3);
    for (std::size_t size = 0; size < 400; ++size) {
      std::string text(size, ' ');
      for (char& c : text) c = static_cast<char>(random() % 3 != 0 ? random() : ' ');
      std::vector<WordBits> bits((size + 63) / 64);
      find_word_starts(text, {}, bits.data());
      const auto is_word = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); };
      for (std::size_t i = 0; i < 64 * bits.size(); ++i) {
        const unsigned char c = i < size ? text[i] : ' ', before = i > 0 ? text[i - 1] : ' ';
        const bool start = (is_word(c) && !is_word(before)) || (c >= 0x80 && before < 0x80);
        ASSERT_EQ(bits[i / 64].starts >> i % 64 & 1, start ? 1u : 0u) << i;
        ASSERT_EQ(bits[i / 64].spaces >> i % 64 & 1, c <= ' ' ? 1u : 0u) << i;
      }
    }
  });
}

}  // namespace
}  // namespace frond::text
