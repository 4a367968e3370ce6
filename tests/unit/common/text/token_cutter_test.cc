// The vector path finds the tokens that the plain one finds.
#include "common/text/token_cutter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "common/text/utf8.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/spans_of_runs.h"

namespace frond::text {
namespace {

std::vector<TokenSpan> plain(std::string_view text) {
  std::vector<TokenSpan> all;
  for (TokenSpan token = next_token(text, 0); token.begin != token.end; token = next_token(text, token.end))
    all.push_back(token);
  return all;
}

std::vector<TokenSpan> fast(std::string_view text) {
  std::vector<TokenSpan> all;
  for_each_token(text, [&](TokenSpan token) { all.push_back(token); });
  return all;
}

std::vector<TokenSpan> by_runs(std::string_view text) {
  support::SpansOfRuns spans;
  for_each_token(text, spans);
  return spans.all;
}

std::string shown(const std::vector<TokenSpan>& tokens, const std::string& text) {
  std::string all;
  for (const TokenSpan& token : tokens) all += "[" + text.substr(token.begin, token.end - token.begin) + "]";
  return all;
}

void expect_same(const std::string& text) {
  const auto expected = plain(text);
  support::with_every_instruction_set([&](const char* set) {
    for (const auto& got : {fast(text), by_runs(text)})
      ASSERT_EQ(got, expected) << set << ", text: " << text << "\ngot " << shown(got, text) << "\nexpected "
                               << shown(expected, text);
  });
}

// Pieces of all classes: what is in words, between their parts, outside of them; also broken UTF-8.
const std::vector<std::string> kTokenPieces = {
    "a",        "Z",  "word", "0",  "42", "_",    ".",        ",", ";", ":", "'", " ", "-", "\n", std::string(1, '\0'),
    "é",        "ß",  "я",
    "·",         // joins letters
    "’",         // joins letters and digits
    "\xcc\x81",  // extends
    "\u00ad",    // a soft hyphen
    "カ",       "の", "字",   "서", "٣",  "\xff", "\xe2\x80", "—", "😀"};

TEST(TokenCutter, FindsTheTokensOfThePlainPath) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    // Mostly ASCII, all of it ASCII, or anything.
    const std::size_t usual = seed % 3 == 0 ? kTokenPieces.size() : 15;
    const std::size_t rare = seed % 3 == 1 ? 15 : kTokenPieces.size();
    std::string text;
    for (std::size_t pieces = random() % 400; pieces > 0; --pieces)
      text += kTokenPieces[random() % (random() % 20 == 0 ? rare : usual)];
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same(text);
  }
}

TEST(TokenCutter, AgreesOnAllShortTextsOfTrickyCharactersWhereverBlocksEnd) {
  const std::vector<std::string> tricky = {"a", "1", "_", ".", ",", "'", ":", " ", "é", "\xcc\x81"};
  for (std::size_t code = 0; code < 10'000; ++code) {
    std::string text;
    for (std::size_t digits = code, i = 0; i < 4; ++i, digits /= 10) text += tricky[digits % 10];
    for (const std::size_t before : {0u, 61u, 62u, 63u}) {
      expect_same(std::string(before, ' ') + text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TokenCutter, CutsLongWordsAsThePlainPathDoes) {
  for (std::size_t length = 250; length < 520; length += 1) {
    expect_same(std::string(length, 'x'));
    expect_same(" " + std::string(length, 'x') + ".y 1.2");
    expect_same(std::string(length, '_') + "é");
    expect_same("é" + std::string(length, 'x') + "é");
    std::string dotted;
    while (dotted.size() < length) dotted += "a.";
    expect_same(dotted);
    if (HasFatalFailure()) return;
  }
}

// Where a word is cut since tokens are not longer, a block may begin with a character inside of words.
TEST(TokenCutter, CutsLongWordsWhereverBlocksEnd) {
  for (const char* const first : {"", "\xc3", "é", "_"})
    for (const char* const rest : {".com", ".c d", "'s", ",1", ":a", ".1", "._a", "..a", "_b", "\xcc\x81.a"})
      for (const char letter : {'y', '1'})
        for (std::size_t length = 252; length < 258; ++length)
          for (std::size_t before = 0; before < 64; ++before) {
            expect_same(std::string(before, ' ') + first + std::string(length, letter) + rest + std::string(64, ' '));
            if (HasFatalFailure()) return;
          }
}

TEST(TokenCutter, FindsNothingInNothing) {
  EXPECT_TRUE(fast("").empty());
  EXPECT_TRUE(fast(" \t\n--..,,''").empty());
  EXPECT_TRUE(fast(std::string(1'000, ' ')).empty());
  EXPECT_TRUE(fast(std::string(1'000, '_')).empty());
}

}  // namespace
}  // namespace frond::text
