#include "common/partition/values/token_codes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/support/random_values.h"

namespace frond::partition {
namespace {

std::uint64_t hash_of(std::uint64_t term) { return term_hash("t" + std::to_string(term)); }

// The words of each field, 0 a gap.
using Words = std::map<std::uint32_t, std::vector<std::uint64_t>>;

ByteBuffer record_of(TokenCodesWriter& writer, const Words& words) {
  writer.begin_document();
  for (const auto& [field, hashes] : words) {
    writer.begin_field(field);
    for (const std::uint64_t hash : hashes) hash == 0 ? writer.add_gap() : writer.add(hash);
  }
  ByteBuffer record;
  writer.finish(record);
  return record;
}

std::uint32_t code_at(const TokenCodes& codes, const TokenCodes::Field& field, std::size_t i) {
  std::uint32_t code = 0;
  std::memcpy(&code, field.codes + i * codes.width(), codes.width());
  return code;
}

void expect_words(const ByteBuffer& record, const Words& words) {
  const TokenCodes codes = TokenCodes::open(record).value();
  std::map<std::uint32_t, std::uint64_t> terms;  // by code
  auto expected = words.begin();
  codes.for_each_field([&](const TokenCodes::Field& field) {
    while (expected != words.end() && expected->second.empty()) ++expected;
    ASSERT_TRUE(expected != words.end());
    EXPECT_EQ(field.field, expected->first);
    ASSERT_EQ(field.words, expected->second.size());
    for (std::size_t i = 0; i < field.words; ++i) {
      const std::uint64_t hash = expected->second[i];
      const std::uint32_t code = code_at(codes, field, i);
      EXPECT_EQ(code == TokenCodes::kGapCode, hash == 0);
      if (hash == 0) continue;
      EXPECT_EQ(code, codes.code(hash));
      EXPECT_EQ(terms.emplace(code, hash).first->second, hash) << "two terms have one code";
    }
    ++expected;
  });
  while (expected != words.end() && expected->second.empty()) ++expected;
  EXPECT_TRUE(expected == words.end());
}

TEST(TokenCodes, GiveEachTermACodeOfItsOwn) {
  TokenCodesWriter writer;
  for (const std::uint64_t terms :
       {1, 2, 3, 10, 56, 150, 199, 200, 201, 255, 256, 1'000, 30'000, 50'000, 60'000, 100'000}) {
    Words words;
    for (std::uint64_t i = 0; i < terms; ++i) words[0].push_back(hash_of(i));
    expect_words(record_of(writer, words), words);
  }
}

TEST(TokenCodes, KeepTheOrderOfWordsInFields) {
  std::mt19937 random(4);
  TokenCodesWriter writer;
  for (int i = 0; i < 300; ++i) {
    Words words;
    for (std::uint32_t field = random() % 3; field < 256 && words.size() < 5; field += 1 + random() % 90) {
      words[field];
      for (auto left = random() % 3 == 0 ? 0 : random() % 300; left > 0; --left)
        words[field].push_back(random() % 7 == 0 ? 0 : hash_of(random() % (1u << random() % 12)));
    }
    const ByteBuffer record = record_of(writer, words);
    bool any = false;
    for (const auto& [field, hashes] : words) any = any || !hashes.empty();
    if (any)
      expect_words(record, words);
    else
      EXPECT_TRUE(record.empty());
  }
}

TEST(TokenCodes, OfAPassageTakeLittleMoreThanAByteAWord) {
  TokenCodesWriter writer;
  Words words;
  for (std::uint64_t i = 0; i < 56; ++i) words[1].push_back(hash_of(i % 40));
  EXPECT_LE(record_of(writer, words).size(), 56 + 40 / 5 + 1 + 4u);
}

// Documents whose terms nearly fill the codes of one byte find places among them.
TEST(TokenCodes, AreAByteForUpToTwoHundredTerms) {
  TokenCodesWriter writer;
  std::size_t wide = 0;
  for (std::uint64_t document = 0; document < 1'000; ++document) {
    Words words;
    for (std::uint64_t i = 0; i < 200; ++i) words[0].push_back(hash_of(document * 1'000 + i));
    wide += TokenCodes::open(record_of(writer, words))->width() > 1;
  }
  EXPECT_LE(wide, 2u);
}

TEST(TokenCodes, OfGapsAloneHaveNoTerm) {
  TokenCodesWriter writer;
  expect_words(record_of(writer, {{2, {0, 0, 0}}}), {{2, {0, 0, 0}}});
}

TEST(TokenCodes, MadeToCollideAreLeftOut) {
  TokenCodesWriter writer;
  Words words;
  for (std::uint64_t i = 1; i <= 300; ++i) words[0].push_back(i);  // all in the first bucket
  EXPECT_TRUE(record_of(writer, words).empty());
  expect_words(record_of(writer, {{0, {hash_of(1)}}}), {{0, {hash_of(1)}}});
}

TEST(TokenCodes, OfTooManyWordsAreLeftOut) {
  TokenCodesWriter writer;
  writer.begin_document();
  writer.begin_field(0);
  const std::uint64_t hashes[] = {hash_of(1), hash_of(2)};
  for (std::size_t i = 0; i + 3 < kMaxCodesBytes; ++i) writer.add(hashes[i % 2]);
  ByteBuffer record;
  writer.finish(record);
  EXPECT_GT(record.size(), kMaxCodesBytes - 10);
  EXPECT_LE(record.size(), kMaxCodesBytes + 10);
  ByteBuffer().swap(record);
  writer.begin_document();
  writer.begin_field(0);
  for (std::size_t i = 0; i < kMaxCodesBytes; ++i) writer.add(hashes[i % 2]);
  writer.finish(record);
  EXPECT_TRUE(record.empty());
  expect_words(record_of(writer, {{0, {hash_of(1), hash_of(2)}}}), {{0, {hash_of(1), hash_of(2)}}});
}

TEST(TokenCodes, SurviveAnyBytes) {
  std::mt19937 random(8);
  TokenCodesWriter writer;
  for (int i = 0; i < 2'000; ++i) {
    Words words;
    for (int left = 30; left > 0; --left) words[random() % 3].push_back(hash_of(random() % 20));
    ByteBuffer record = record_of(writer, words);
    for (int n = 0; n < 3; ++n)
      record[random() % std::min<std::size_t>(record.size(), 12)] = static_cast<std::byte>(random());
    record.resize(random() % 4 == 0 ? random() % record.size() : record.size());
    const auto codes = TokenCodes::open(record);
    if (!codes) continue;
    codes->for_each_field([&](const TokenCodes::Field& field) {
      EXPECT_LE(field.codes + std::size_t{field.words} * codes->width(), record.data() + record.size());
    });
    EXPECT_NE(codes->code(random()), TokenCodes::kGapCode);
  }
}

// What is stored stays readable.
TEST(TokenCodes, HaveTheseBytes) {
  TokenCodesWriter writer;
  const ByteBuffer record =
      record_of(writer, {{1, {term_hash("hard"), 0, term_hash("links")}}, {4, {term_hash("hard")}}});
  EXPECT_EQ(support::hex_of(record), "08010102020000ce001fce");
}

}  // namespace
}  // namespace frond::partition
