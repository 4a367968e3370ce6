// A token is found if it was stored and not replaced, whatever surrounds it.
#include "indexer/parse/token_table.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/support/instruction_sets.h"

namespace frond::indexer::parse {
namespace {

TokenLookup seek(const TokenTable& table, const std::string& token) { return table.seek(token, {0, token.size()}); }

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
    const TokenLookup lookup = table.seek(text, {before.size(), before.size() + token.size()});
    const TermId found = table.find(lookup);
    const auto known = stored.find(token);
    if (known == stored.end()) {
      ASSERT_EQ(found, TokenTable::kUnknown) << token;
    } else if (found != TokenTable::kUnknown) {  // it may have been replaced
      ASSERT_EQ(found, known->second) << token;
      ++hits;
      continue;
    }
    table.add(lookup, static_cast<TermId>(i));
    stored[token] = static_cast<TermId>(i);
  }
  EXPECT_GT(hits, 1'000u);
}

TEST(TokenTable, KeepsWhatIsFoundOftenWhenItIsFull) {
  TokenTable table(10);
  std::size_t kept = 0;
  for (std::uint32_t n = 0; n < 300'000; ++n) {
    const TokenLookup rare = seek(table, std::to_string(n));
    table.add(rare, n);
    ASSERT_EQ(table.find(rare), n) << "the newest is there";
    const TokenLookup usual = seek(table, "word" + std::to_string(n % 50));
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
  const TokenLookup lookup = seek(table, std::string(TokenTable::kMaxTokenBytes + 1, 'x'));
  table.add(lookup, 1);
  EXPECT_EQ(table.find(lookup), TokenTable::kUnknown);
  EXPECT_EQ(table.find(seek(table, std::string(TokenTable::kMaxTokenBytes, 'x'))), TokenTable::kUnknown);
}

TEST(TokenTable, FindsManyTokensAsItFindsOne) {
  support::with_every_instruction_set([](const char* set) {
    std::mt19937 random(2);
    TokenTable table(10);
    const std::vector<std::array<std::byte, 16>> lines(1 << 10);
    for (int round = 0; round < 200; ++round) {
      std::string text;
      std::vector<std::uint32_t> begins, ends;
      for (std::size_t tokens = random() % 64; tokens > 0; --tokens) {
        text.append(random() % 3, ' ');
        begins.push_back(static_cast<std::uint32_t>(text.size()));
        text += std::string(1 + random() % 2, static_cast<char>('a' + random() % 26)) + std::to_string(random() % 90);
        if (random() % 16 == 0) text.append(random() % 20, 'x');
        ends.push_back(static_cast<std::uint32_t>(text.size()));
      }
      std::vector<TokenLookup> lookup(begins.size());
      std::vector<TermId> terms(begins.size() + kTokensTold), expected_found, found(terms.size());
      std::vector<std::uint32_t> expected_unknown, unknown(terms.size());
      table.seek(text, begins.data(), ends.data(), lookup);
      table.find(lookup, terms.data(), {lines.front().data(), lines.size() - 1});
      for (std::uint32_t i = 0; i < lookup.size(); ++i) {
        const TokenLookup one = table.seek(text, text::TokenSpan{begins[i], ends[i]});
        ASSERT_EQ(lookup[i].begin, one.begin) << set;
        ASSERT_EQ(lookup[i].bytes, one.bytes) << set;
        ASSERT_EQ(lookup[i].key, one.key) << set;
        ASSERT_EQ(lookup[i].bucket, one.bucket) << set;
        ASSERT_EQ(terms[i], table.find(one)) << set;
        if (terms[i] == TokenTable::kUnknown) expected_unknown.push_back(i);
        if (terms[i] < TokenTable::kUnknown) expected_found.push_back(terms[i]);
      }
      const KnownTokens known = tell_apart(std::span(terms).first(lookup.size()), found.data(), unknown.data());
      found.resize(known.found);
      unknown.resize(known.unknown);
      ASSERT_EQ(found, expected_found) << set;
      ASSERT_EQ(unknown, expected_unknown) << set;
      for (const std::uint32_t i : unknown)
        table.add(lookup[i], random() % 9 == 0 ? TokenTable::kStopWord : random() % 500);
    }
  });
}

}  // namespace
}  // namespace frond::indexer::parse
