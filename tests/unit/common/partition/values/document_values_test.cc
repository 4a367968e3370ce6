#include "common/partition/values/document_values.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/random_values.h"

namespace frond::partition {
namespace {

TEST(ValuesOfADocument, ComeBackAndAreSafeWhateverTheirBytes) {
  const schema::Schema schema = support::schema_of_all_types();
  std::mt19937 random(5);
  for (int i = 0; i < 2'000; ++i) {
    ByteBuffer record = support::random_record(schema, random), again;
    const auto values = decode_values(record, schema);
    ASSERT_TRUE(values) << values.error().message();
    encode_values(*values, again);
    EXPECT_EQ(again, record);
    if (record.empty()) continue;
    for (int n = 0; n < 3; ++n) record[random() % record.size()] = static_cast<std::byte>(random());
    record.resize(random() % 3 == 0 ? random() % record.size() : record.size());
    (void)decode_values(record, schema).has_value();
  }
}

TEST(ValuesOfADocument, AreThoseOfTheSchema) {
  const schema::Schema schema = support::schema_of_all_types();  // title 0, tags 2, lang 3, year 4
  const auto refused = [&](const DocumentValues& values) {
    ByteBuffer record;
    encode_values(values, record);
    return !decode_values(record, schema).has_value();
  };
  const auto text = [](const char* of) { return schema::Value(std::string(of)); };
  EXPECT_FALSE(refused({.columns = {{2, {text("a"), text("b")}}}}));
  EXPECT_TRUE(refused({.columns = {{2, {text("b"), text("a")}}}})) << "they ascend";
  EXPECT_TRUE(refused({.columns = {{2, {text("a"), text("a")}}}})) << "they differ";
  EXPECT_TRUE(refused({.columns = {{3, {text("a"), text("b")}}}})) << "it has one";
  EXPECT_TRUE(refused({.columns = {{4, {text("2010")}}}})) << "of another type";
  EXPECT_TRUE(refused({.columns = {{3, {text("a")}}, {2, {text("a")}}}})) << "fields ascend";
  EXPECT_TRUE(refused({.columns = {{0, {text("a")}}}})) << "no column";
  EXPECT_TRUE(refused({.columns = {{99, {text("a")}}}}));
  EXPECT_TRUE(refused({.columns = {{2, {}}}}));
  EXPECT_FALSE(refused({.lengths = {{0, 3}, {9, 1}}}));
  EXPECT_TRUE(refused({.lengths = {{0, 0}}}));
  EXPECT_TRUE(refused({.lengths = {{2, 1}}})) << "no text";
}

// The example of docs/formats/partition.md.
TEST(ValuesOfADocument, HaveTheseBytes) {
  ByteBuffer record;
  encode_values({.columns = {{2, {schema::Value(std::string("x"))}}}, .lengths = {{0, 3}}}, record);
  EXPECT_EQ(support::hex_of(record), "0102010301780100030000");
}

TEST(ValuesOfADocument, ThatHasNoneAreNoBytes) {
  ByteBuffer record;
  encode_values({}, record);
  EXPECT_TRUE(record.empty());
  EXPECT_TRUE(decode_values({}, {})->columns.empty());
}

}  // namespace
}  // namespace frond::partition
