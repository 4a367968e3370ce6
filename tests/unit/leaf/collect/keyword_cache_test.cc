// Numbers of keywords: those of a sorted list of all of them, and kept within a budget.
#include "leaf/collect/keyword_cache.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/collections/manual_clock.h"

namespace frond::leaf::collect {
namespace {

// A column of chunks whose words overlap.
class Column {
 public:
  explicit Column(std::uint32_t chunks)
      : column_(schema::FieldType::kKeyword, chunks * partition::ColumnChunkWriter::kChunkDocuments) {
    bytes_.reserve(chunks);
    partition::ColumnChunkWriter writer(schema::FieldType::kKeyword);
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::uint32_t i = 0; i < partition::ColumnChunkWriter::kChunkDocuments; ++i) {
        const std::string word = i % 7 == 0 ? "" : "shared prefix " + std::to_string(i % 50 * (chunk + 1));
        words.insert(word);
        writer.add(std::vector<schema::Value>{word});
      }
      bytes_.push_back(writer.finish());
      column_.put_chunk(chunk, bytes_.back()).value();
    }
  }
  const partition::ValueColumn& operator*() const { return column_; }
  std::set<std::string> words;

 private:
  std::vector<ByteBuffer> bytes_;
  partition::ValueColumn column_;
};

TEST(KeywordNumbers, AreThoseOfTheSortedWords) {
  const Column column(5);
  const auto numbers = partition::KeywordNumbers::of(*column, [] { return false; });
  ASSERT_NE(numbers, nullptr);
  ASSERT_EQ(numbers->size(), column.words.size());
  std::uint32_t number = 0;
  for (const std::string& word : column.words) EXPECT_EQ(numbers->word(*column, number++), word);
  for (std::uint32_t chunk = 0; chunk < 5; ++chunk)
    for (std::uint32_t code = 0; code < (*column).chunk(chunk).words; ++code)
      EXPECT_EQ(numbers->word(*column, numbers->of_chunk(chunk)[code]), (*column).chunk(chunk).word(code));
  EXPECT_LE(numbers->bytes(), partition::KeywordNumbers::most_bytes(*column) + sizeof *numbers);
  EXPECT_EQ(partition::KeywordNumbers::of(*column, [] { return true; }), nullptr);
}

TEST(KeywordCache, KeepsWhatItsBudgetAllowsAndRefusesMore) {
  const Column column(5);
  support::ManualClock clock;
  const std::size_t one = partition::KeywordNumbers::of(*column, [] { return false; })->bytes();
  KeywordCache cache(3 * one + 2048);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto made = cache.numbers(i, 1, *column, Deadline::never(), clock);
    ASSERT_TRUE(made);
    EXPECT_EQ(*cache.numbers(i, 1, *column, Deadline::never(), clock), *made);
    EXPECT_LE(cache.counters().bytes, cache.budget_bytes());
  }
  EXPECT_EQ(cache.counters().hits, 10u);
  EXPECT_GE(cache.counters().evictions, 7u);
  cache.forget(9);
  EXPECT_NE(cache.counters().bytes, 0u);
  (void)cache.numbers(9, 1, *column, Deadline::never(), clock);
  EXPECT_EQ(cache.counters().misses, 11u);
  KeywordCache small(one);
  const auto refused = small.numbers(1, 1, *column, Deadline::never(), clock);
  ASSERT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("--keyword-cache"), std::string::npos);
}

}  // namespace
}  // namespace frond::leaf::collect
