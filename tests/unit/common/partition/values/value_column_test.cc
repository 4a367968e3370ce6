#include "common/partition/values/value_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/support/random_values.h"

namespace frond::partition {
namespace {

using schema::FieldType;
using schema::Value;
using Documents = std::vector<std::vector<Value>>;  // values of each

// What is written, and the column of it.
struct Written {
  std::vector<ByteBuffer> chunks;
  ValueColumn column;
};

Written write(FieldType type, const Documents& documents) {
  Written written{{}, ValueColumn(type, static_cast<std::uint32_t>(documents.size()))};
  ColumnChunkWriter writer(type);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    writer.add(documents[i]);
    if (writer.documents() == ColumnChunkWriter::kChunkDocuments || i + 1 == documents.size())
      written.chunks.push_back(writer.finish());
  }
  for (std::uint32_t i = 0; i < written.chunks.size(); ++i) {
    if (written.chunks[i].empty()) continue;
    const auto put = written.column.put_chunk(i, written.chunks[i]);
    EXPECT_TRUE(put) << put.error().message();
  }
  return written;
}

DocumentBits bits_of(const Documents& documents, const std::function<bool(const Value&)>& wanted) {
  DocumentBits bits((documents.size() + 63) / 64);
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (std::any_of(documents[i].begin(), documents[i].end(), wanted)) bits[i / 64] |= std::uint64_t{1} << i % 64;
  return bits;
}

void expect_matches(FieldType type, const Documents& documents, const ValueColumn& column, std::mt19937& random) {
  const auto found = [&](auto&& match) {
    DocumentBits bits((documents.size() + 63) / 64);
    match(bits);
    return bits;
  };
  EXPECT_EQ(found([&](auto& bits) { column.match_exists(bits); }), bits_of(documents, [](auto&) { return true; }));
  for (int i = 0; i < 30; ++i) {
    std::optional<ValueColumn::Bound> from, to;
    if (random() % 4 != 0) from = {support::random_value(type, random), random() % 2 == 0};
    if (random() % 4 != 0) to = {support::random_value(type, random), random() % 2 == 0};
    const auto expected = bits_of(documents, [&](const Value& value) {
      return (!from || from->value < value || (from->inclusive && from->value == value)) &&
             (!to || value < to->value || (to->inclusive && to->value == value));
    });
    EXPECT_EQ(found([&](auto& bits) { column.match_range(from, to, bits); }), expected);
    std::vector<Value> some;
    for (auto left = random() % 20; left > 0; --left) some.push_back(support::random_value(type, random));
    EXPECT_EQ(found([&](auto& bits) { column.match_any(some, bits); }),
              bits_of(documents, [&](const Value& value) { return std::ranges::find(some, value) != some.end(); }));
  }
  if (type != FieldType::kKeyword) return;
  for (const char digit : {'1', '7', 'k'}) {
    const auto wanted = [&](std::string_view word) { return word.find(digit) != word.npos; };
    EXPECT_EQ(found([&](auto& bits) { column.match_keywords(wanted, bits); }),
              bits_of(documents, [&](const Value& value) { return wanted(std::get<std::string>(value)); }));
  }
}

TEST(AValueColumn, FindsWhatIsThereOfAnyType) {
  std::mt19937 random(2);
  for (const FieldType type :
       {FieldType::kKeyword, FieldType::kInteger, FieldType::kFloat, FieldType::kDate, FieldType::kBoolean})
    for (const bool many : {false, true})
      for (const std::size_t count : {1u, 63u, 64u, 4096u, 9000u}) {
        SCOPED_TRACE(std::string(name_of(type)) + (many ? ", many, " : ", ") + std::to_string(count));
        Documents documents(count);
        const schema::Field field{.type = type, .many = many};
        for (std::size_t i = 0; i < count; ++i)
          if (i / 4096 != 1) documents[i] = support::random_values(field, random);  // a chunk without any
        const Written written = write(type, documents);
        std::size_t values = 0;
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(written.column.values_of(static_cast<DocId>(i)), documents[i]) << i;
          const auto key = written.column.first_key(static_cast<DocId>(i));
          EXPECT_EQ(key.has_value(), !documents[i].empty());
          if (key && type != FieldType::kKeyword) {
            EXPECT_EQ(schema::value_of_key(type, *key), documents[i][0]);
          }
          values += documents[i].size();
        }
        EXPECT_EQ(written.column.values(), values);
        expect_matches(type, documents, written.column, random);
      }
}

TEST(AValueColumn, HasValuesAtTheEndsOfTheirTypes) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
  const Documents integers{{Value(kLeast)}, {}, {Value(kMost)}, {Value(std::int64_t{0})}};
  const Written written = write(FieldType::kInteger, integers);
  for (DocId docid = 0; docid < 4; ++docid) EXPECT_EQ(written.column.values_of(docid), integers[docid]);
  DocumentBits bits(1);
  written.column.match_range(ValueColumn::Bound{Value(kMost), false}, std::nullopt, bits);
  written.column.match_range(std::nullopt, ValueColumn::Bound{Value(kLeast), false}, bits);
  EXPECT_EQ(bits[0], 0u);
  written.column.match_range(ValueColumn::Bound{Value(kMost)}, std::nullopt, bits);
  EXPECT_EQ(bits[0], 4u);

  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const Documents floats{{Value(-most)}, {Value(-least)}, {Value(0.0)}, {Value(least)}, {Value(most)}};
  const Written of_floats = write(FieldType::kFloat, floats);
  for (DocId docid = 0; docid < 5; ++docid) EXPECT_EQ(of_floats.column.values_of(docid), floats[docid]);
  bits = {0};
  of_floats.column.match_range(ValueColumn::Bound{Value(-least)}, ValueColumn::Bound{Value(least), false}, bits);
  EXPECT_EQ(bits[0], 6u);
}

// What is stored stays readable: the example of docs/formats/partition.md, and keywords.
TEST(AValueColumn, HasTheseBytes) {
  EXPECT_EQ(support::hex_of(write(FieldType::kInteger, {{}, {Value(std::int64_t{7})}}).chunks[0]),
            "0200000001000000"
            "0700000000000080"
            "0700000000000080"
            "0000000000000000"
            "0200000000000000");
  const auto text = [](const char* of) { return Value(std::string(of)); };
  EXPECT_EQ(support::hex_of(write(FieldType::kKeyword, {{text("a"), text("b")}, {}, {text("b")}}).chunks[0]),
            "0300000003000000"
            "0000000000000000"
            "0100000000000000"
            "0200000001010000"
            "0500000000000000"
            "00000000020000000200000003000000"
            "0100000002000000"
            "000101"
            "6162");
}

TEST(AValueColumn, RefusesAChunkOfOtherDocuments) {
  const Documents documents(10, {Value(std::int64_t{7})});
  const Written written = write(FieldType::kInteger, documents);
  ValueColumn other(FieldType::kInteger, 11), keywords(FieldType::kKeyword, 10), same(FieldType::kInteger, 10);
  EXPECT_EQ(other.put_chunk(0, written.chunks[0]), Code::kCorrupt);
  EXPECT_EQ(keywords.put_chunk(0, written.chunks[0]), Code::kCorrupt);
  EXPECT_EQ(same.put_chunk(1, written.chunks[0]), Code::kCorrupt);
  EXPECT_TRUE(same.put_chunk(0, written.chunks[0]));
  EXPECT_EQ(same.put_chunk(0, written.chunks[0]), Code::kCorrupt) << "it is there";
}

// Whatever is accepted is safe to use, also when it has become zeros since.
TEST(AValueColumn, SurvivesAnyBytes) {
  std::mt19937 random(6);
  std::size_t accepted = 0;
  for (const FieldType type : {FieldType::kKeyword, FieldType::kInteger, FieldType::kBoolean})
    for (int i = 0; i < 3'000; ++i) {
      const schema::Field field{.type = type, .many = i % 2 == 0};
      Documents documents(1 + random() % 100);
      for (auto& values : documents) values = support::random_values(field, random);
      ColumnChunkWriter writer(type);
      for (const auto& values : documents) writer.add(values);
      ByteBuffer bytes = writer.finish();
      if (bytes.empty()) continue;
      for (auto left = random() % 3; left > 0; --left)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      if (random() % 5 == 0) bytes.resize(random() % bytes.size());
      ValueColumn column(type, static_cast<std::uint32_t>(documents.size()));
      if (!column.put_chunk(0, bytes)) continue;
      ++accepted;
      const auto use = [&] {
        DocumentBits bits((documents.size() + 63) / 64);
        column.match_exists(bits);
        column.match_range(ValueColumn::Bound{support::random_value(type, random)}, std::nullopt, bits);
        if (type == FieldType::kKeyword) column.match_keywords([](auto) { return true; }, bits);
        for (DocId docid = 0; docid < documents.size(); ++docid) (void)column.values_of(docid);
        if (documents.size() % 64 != 0) {
          EXPECT_EQ(bits.back() >> documents.size() % 64, 0u) << "past the last document";
        }
      };
      use();
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), bytes.end(), std::byte{0});
      use();
      std::fill(bytes.begin(), bytes.end(), std::byte{0});
      use();
    }
  EXPECT_GT(accepted, 1'000u);
}

}  // namespace
}  // namespace frond::partition
