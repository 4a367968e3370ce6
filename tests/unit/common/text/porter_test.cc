// The stemmer gives what libstemmer's gives.
#include "common/text/porter.h"

#include <libstemmer.h>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace frond::text {
namespace {

struct StemmerDeleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

std::string ours(const std::string& word) {
  std::string buffer = word + '?';
  return buffer.substr(0, porter_stem(buffer.data(), word.size()));
}

class Porter : public testing::Test {
 protected:
  std::string theirs(const std::string& word) {
    const auto* const stem = reinterpret_cast<const char*>(sb_stemmer_stem(
        stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size())));
    return {stem, static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }
  std::unique_ptr<sb_stemmer, StemmerDeleter> stemmer_{sb_stemmer_new("porter", "UTF_8")};
};

TEST_F(Porter, StemsWordsOfAllSuffixesAsLibstemmer) {
  constexpr std::array<std::string_view, 78> kParts = {
      "a",       "e",       "i",       "o",      "u",      "y",     "b",     "t",     "s",       "l",
      "n",       "w",       "x",       "'",      "3",      "ss",    "sses",  "ies",   "eed",     "ed",
      "ing",     "at",      "bl",      "iz",     "tional", "enci",  "anci",  "abli",  "entli",   "eli",
      "izer",    "ization", "ational", "ation",  "ator",   "alli",  "alism", "aliti", "fulness", "ousli",
      "ousness", "iveness", "iviti",   "biliti", "alize",  "icate", "iciti", "ical",  "ative",   "ful",
      "ness",    "al",      "ance",    "ence",   "er",     "ic",    "able",  "ible",  "ant",     "ement",
      "ment",    "ent",     "ou",      "ism",    "ate",    "iti",   "ous",   "ive",   "ize",     "ion",
      "tion",    "sion",    "ll",      "tt",     "rr",     "mm",    "ffix",  "yy"};
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string word;
    for (std::size_t parts = 1 + random() % 5; parts > 0; --parts) word += kParts[random() % kParts.size()];
    ASSERT_EQ(ours(word), theirs(word)) << word;
  }
}

TEST_F(Porter, StemsShortWordsAsLibstemmer) {
  constexpr std::string_view kLetters = "aeiouybdfgstlnrxw'1c";
  for (const char a : kLetters) {
    EXPECT_EQ(ours({a}), theirs({a})) << a;
    for (const char b : kLetters) {
      EXPECT_EQ(ours({a, b}), theirs({a, b})) << a << b;
      for (const char c : kLetters) EXPECT_EQ(ours({a, b, c}), theirs({a, b, c})) << a << b << c;
    }
  }
  EXPECT_EQ(ours("s"), "") << "who calls it keeps the word then";
  EXPECT_EQ(ours(std::string(255, 'a') + "ing"), theirs(std::string(255, 'a') + "ing"));
}

}  // namespace
}  // namespace frond::text
