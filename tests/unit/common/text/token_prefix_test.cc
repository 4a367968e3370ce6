#include "common/text/snippets/wanted_words.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <random>

#include "common/text/analyzer.h"
#include "common/text/normal_form.h"
#include "common/text/snippets/term_matches.h"
#include "common/text/unicode.h"

namespace frond::text {
namespace {

// A token whose term is the query's is always a candidate.
void expect_candidate(Analyzer& analyzer, const std::string& token, unsigned seed) {
  const std::string term(analyzer.term_of(token));
  if (term.empty()) return;
  const auto prefix = token_prefix(analyzer.config(), term);
  ASSERT_TRUE(prefix && !prefix->bytes.empty() && std::string_view(term).starts_with(prefix->bytes)) << token;
  const std::vector<std::string> itself{term};
  ASSERT_FALSE(find_terms(analyzer, token, itself).empty()) << token << ", term " << term << ", seed " << seed;
}

TEST(TokenPrefix, IsThatOfEveryTokenOfTheTerm) {
  const unsigned seed = 6;
  std::mt19937 random(seed);
  const std::string_view parts[] = {"s",    "ies",  "y",    "ing",  "ed",  "a",     "e",   "i",    "t",   "eed",
                                    "ss",   "at",   "iz",   "tion", "ly",  "ful",   "ous", "b",    "bl",  "biliti",
                                    "ence", "able", "ness", "al",   "ize", "ement", "log", "ogi",  "ti",  "S",
                                    "Y",    "E",    "'s",   "’",    "é",   "3",     "l",   "enci", "ate", "ie"};
  for (const Stemmer stemmer : {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish}) {
    Analyzer analyzer({stemmer, false});
    for (int round = 0; round < 300'000; ++round) {
      std::string word;
      for (unsigned i = 1 + random() % 5; i > 0; --i) word += parts[random() % std::size(parts)];
      if (next_token(word, 0) == TokenSpan{0, word.size()}) expect_candidate(analyzer, word, seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TokenPrefix, IsTheFirstLetterWithStemmersOfOtherLanguages) {
  const std::string_view parts[] = {"a",  "e",  "i",   "o",   "u",  "y",   "s",  "t",  "n",  "r",  "l",    "d",
                                    "k",  "g",  "m",   "b",   "qu", "ge",  "en", "er", "es", "ch", "ment", "ique",
                                    "di", "ed", "che", "col", "'s", "ies", "ог", "и",  "е",  "ть", "ешь",  "3"};
  std::size_t known = 0;
  for (std::size_t i = 0; i < kStemmerNames.size(); ++i) {
    const auto stemmer = static_cast<Stemmer>(i);
    Analyzer analyzer({stemmer, false, AnalyzerKind::kStandard2});
    if (!token_prefix(analyzer.config(), "word")) continue;
    ++known;
    const unsigned seed = 8;
    std::mt19937 random(seed);
    for (int round = 0; round < 20'000; ++round) {
      std::string word;
      for (unsigned left = 1 + random() % 5; left > 0; --left) word += parts[random() % std::size(parts)];
      if (next_token(word, 0) == TokenSpan{0, word.size()}) expect_candidate(analyzer, word, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(known, 26u);
}

TEST(TokenPrefix, KnowsTheWordsThatTheEnglishStemmerTreatsApart) {
  Analyzer analyzer({Stemmer::kEnglish, false});
  for (const char* word : {"skis",   "skies",   "dying",      "lying",     "tying",   "idly",    "gently",  "ugly",
                           "early",  "only",    "singly",     "sky",       "news",    "howe",    "atlas",   "cosmos",
                           "bias",   "andes",   "inning",     "outing",    "canning", "herring", "earring", "proceed",
                           "exceed", "succeed", "generously", "communism", "arsenal", "vying",   "hying"})
    expect_candidate(analyzer, word, 0);
}

TEST(TokenPrefix, AllowsNoOtherWordsWhereTheTermIsTheWord) {
  WantedWords wanted(1);
  wanted.add(*token_prefix({.stemmer = Stemmer::kNone}, "fox"));
  for (const char* text : {"fox", "FOX", "fox's", "foxs", "foxes", "fox-trot"})
    EXPECT_TRUE(wanted.may_begin_at(text, 0)) << text;
  for (const char* text : {"foxtrot", "foxed", "fo", "for"}) EXPECT_FALSE(wanted.may_begin_at(text, 0)) << text;
}

TEST(NormalForm, IsTheSmallLetterOfWhatHasAPlainForm) {
  for (const bool fold_accents : {false, true}) {
    NormalForm form(fold_accents);
    std::string before = "a", out;
    for (char32_t c = 0x80; c < 0x110000; ++c) {
      if (!has_plain_form(c)) continue;
      std::string letter, small;
      append_utf8(c, letter);
      append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), small);
      form.apply(before + letter, out);  // beside each other they are as they are alone
      std::string wanted = small;
      form.apply(before, small);
      ASSERT_EQ(out, small + wanted) << std::hex << static_cast<std::uint32_t>(c);
      before = letter;
      const auto letters = letters_with_lower_case(decode_utf8(wanted, 0).value);
      for (const char32_t other : letters) ASSERT_TRUE(has_plain_form(other)) << small;
    }
  }
}

TEST(LetterCase, HasEveryCodePointWithTheLowerCase) {
  for (utf8proc_int32_t c = 0; c < 0x110000; ++c) {
    const auto lower = static_cast<char32_t>(utf8proc_tolower(c));
    const auto letters = letters_with_lower_case(lower);
    ASSERT_NE(std::ranges::find(letters, static_cast<char32_t>(c)), letters.end()) << std::hex << c;
    if (c >= 0x80 && lower < 0x80) {
      ASSERT_TRUE(c == 0x130 || c == 0x212a) << std::hex << c;  // as find_terms() knows
    }
    for (const char32_t letter : letters)
      ASSERT_EQ(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(letter))), lower) << std::hex << c;
  }
}

}  // namespace
}  // namespace frond::text
