// A long token is found if it was stored and not replaced.
#include "indexer/parse/token_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace frond::indexer::parse {
namespace {

std::string word(int n) { return "a_word_that_is_very_long_" + std::to_string(n); }

TEST(LongTokens, FindsWhatWasStored) {
  LongTokens tokens;
  std::size_t found = 0;
  for (TermId n = 0; n < 1000; ++n) {
    ASSERT_EQ(tokens.find(word(n)), TokenTable::kUnknown);
    tokens.add(word(n), n);
  }
  for (TermId n = 0; n < 1000; ++n) {
    const TermId term = tokens.find(word(n));
    ASSERT_TRUE(term == n || term == TokenTable::kUnknown) << term;
    found += term == n;
  }
  EXPECT_GT(found, 800u) << "few have the same place";
}

TEST(LongTokens, KeepsWhatIsFoundOften) {
  LongTokens tokens;
  std::size_t kept = 0;
  for (TermId n = 0; n < 100'000; ++n) {
    tokens.add(word(1'000 + n), n);
    if (tokens.find("an_often_used_word") == TokenTable::kStopWord)
      ++kept;
    else
      tokens.add("an_often_used_word", TokenTable::kStopWord);
  }
  EXPECT_EQ(kept, 99'999u) << "all but the first time";
}

TEST(LongTokens, FollowsTermsThatAreRenumbered) {
  LongTokens tokens;
  std::vector<TermId> numbers(3);
  for (TermId n = 0; n < 3; ++n) tokens.add(word(n), n);
  tokens.add("a_stop_word_of_many_bytes", TokenTable::kStopWord);
  for (TermId n = 0; n < 3; ++n) ASSERT_EQ(tokens.find(word(n)), n) << "no two of these have the same place";
  numbers = {kNoTerm, 7, 0};
  tokens.renumber(numbers);
  EXPECT_EQ(tokens.find(word(0)), TokenTable::kUnknown);
  EXPECT_EQ(tokens.find(word(1)), 7u);
  EXPECT_EQ(tokens.find(word(2)), 0u);
  EXPECT_EQ(tokens.find("a_stop_word_of_many_bytes"), TokenTable::kStopWord);
}

TEST(LongTokens, NeverHasTokensThatAreTooLong) {
  LongTokens tokens;
  const std::string longest(LongTokens::kMaxTokenBytes, 'x'), longer = longest + "x";
  tokens.add(longest, 1);
  tokens.add(longer, 2);
  EXPECT_EQ(tokens.find(longest), 1u);
  EXPECT_EQ(tokens.find(longer), TokenTable::kUnknown);
  EXPECT_EQ(tokens.find(""), TokenTable::kUnknown);
}

}  // namespace
}  // namespace frond::indexer::parse
