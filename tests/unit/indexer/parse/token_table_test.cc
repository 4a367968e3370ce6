// A token is found if it was stored and not replaced, whatever surrounds it.
#include "indexer/parse/token_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace frond::indexer::parse {
namespace {

SoughtToken seek(const TokenTable& table, const std::string& token) { return table.seek(token, {0, token.size()}); }

TEST(TokenTable, FindsTokensOfAllLengthsAtAnyPlaceOfAText) {
  TokenTable table;
  std::map<std::string, TermId> stored;
  std::mt19937 random(1);
  std::size_t hits = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string token(1 + random() % TokenTable::kMaxTokenBytes, 'a');
    for (char& c : token) c = static_cast<char>("abcXYZ\xc3\xa9"[random() % 8]);
    const std::string before(random() % 3, '.'), after(random() % 40, '-');
    const std::string text = before + token + after;
    const SoughtToken sought = table.seek(text, {before.size(), before.size() + token.size()});
    const TermId found = table.find(sought);
    const auto known = stored.find(token);
    if (known == stored.end()) {
      ASSERT_EQ(found, TokenTable::kUnknown) << token;
    } else if (found != TokenTable::kUnknown) {  // it may have been replaced
      ASSERT_EQ(found, known->second) << token;
      ++hits;
      continue;
    }
    table.add(sought, static_cast<TermId>(i));
    stored[token] = static_cast<TermId>(i);
  }
  EXPECT_GT(hits, 1'000u);
}

TEST(TokenTable, KeepsWhatIsFoundOftenWhenItIsFull) {
  TokenTable table(10);
  std::size_t kept = 0;
  for (std::uint32_t n = 0; n < 300'000; ++n) {
    const SoughtToken rare = seek(table, std::to_string(n));
    table.add(rare, n);
    ASSERT_EQ(table.find(rare), n) << "the newest is there";
    const SoughtToken usual = seek(table, "word" + std::to_string(n % 50));
    if (const TermId found = table.find(usual); found != TokenTable::kUnknown) {
      ASSERT_EQ(found, n % 50);
      ++kept;
    } else {
      table.add(usual, n % 50);
    }
  }
  EXPECT_GT(kept, 200'000u);
}

TEST(TokenTable, FollowsTermsThatAreRenumbered) {
  TokenTable table;
  for (TermId n = 0; n < 100; ++n) table.add(seek(table, "t" + std::to_string(n)), n);
  table.add(seek(table, "the"), TokenTable::kStopWord);
  std::vector<TermId> numbers(100);
  for (TermId n = 0; n < 100; ++n) numbers[n] = n % 3 == 0 ? n / 3 : kNoTerm;
  table.renumber(numbers);
  for (TermId n = 0; n < 100; ++n)
    EXPECT_EQ(table.find(seek(table, "t" + std::to_string(n))), n % 3 == 0 ? n / 3 : TokenTable::kUnknown);
  EXPECT_EQ(table.find(seek(table, "the")), TokenTable::kStopWord);
}

TEST(TokenTable, NeverHasTokensThatAreTooLong) {
  TokenTable table;
  const SoughtToken sought = seek(table, std::string(TokenTable::kMaxTokenBytes + 1, 'x'));
  table.add(sought, 1);
  EXPECT_EQ(table.find(sought), TokenTable::kUnknown);
  EXPECT_EQ(table.find(seek(table, std::string(TokenTable::kMaxTokenBytes, 'x'))), TokenTable::kUnknown);
}

}  // namespace
}  // namespace frond::indexer::parse
