// Fields of a schema, from JSON and CSV.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "common/schema/schema_json.h"
#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"

namespace frond::indexer::ingest {
namespace {

using schema::Value;

ParseOptions with(std::string_view schema_json, bool coerce = false) {
  ParseOptions options;
  options.schema = std::make_shared<const schema::Schema>(*schema::parse_schema(schema_json));
  options.coerce = coerce;
  return options;
}
constexpr std::string_view kSchema =
    R"({"fields":{"title":{"type":"text"},"tag":{"type":"keyword","many":true},"year":{"type":"integer"},)"
    R"("price":{"type":"float"},"at":{"type":"date"},"open":{"type":"boolean"},"notes":{"type":"text"},)"
    R"("of.city":{"type":"keyword"}}})";

Result<Document> parsed(std::string json, const ParseOptions& options) {
  const RawRecord record{
      .format = &kJsonl, .file = "f", .name = "", .number = 1, .offset = 0, .bytes = std::move(json)};
  return parse_record(record, options);
}
std::vector<std::pair<std::uint32_t, std::vector<Value>>> columns_of(const Document& document) {
  std::vector<std::pair<std::uint32_t, std::vector<Value>>> all;
  for (const auto& column : document.fields.columns) all.emplace_back(column.field, column.values);
  return all;
}

TEST(SchemaFields, AreReadFromJson) {
  const std::string json =
      R"({"id":"a","title":"t","body":"b","tag":["x","b","x",null],"year":2010,"price":2,"at":"1970-01-01T00:00:01Z",)"
      R"("open":false,"notes":["n","m"],"of":{"city":"Oslo"},"rest":[{"y":1}]})";
  const auto document = parsed(json, with(kSchema));
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(columns_of(*document), (decltype(columns_of(*document)){{1, {std::string("b"), std::string("x")}},
                                                                    {2, {std::int64_t{2010}}},
                                                                    {3, {2.0}},
                                                                    {4, {std::int64_t{1000}}},
                                                                    {5, {false}},
                                                                    {7, {std::string("Oslo")}}}));
  ASSERT_EQ(document->fields.texts.size(), 1u);
  EXPECT_EQ(document->fields.texts[0].field, 6u);
  EXPECT_EQ(document->fields.texts[0].text, "n\nm");
  EXPECT_EQ(document->fields.source, json);
}

// NaN is no JSON: numbers with a fraction are then read another way than whole ones.
TEST(SchemaFields, HaveTheSameWeightsBesideWhatIsNoJson) {
  const auto weights_of = [](const std::string& rest) {
    const std::string json = R"({"id":"a","body":"b","v":{"x":1,"y":2.5,"z":3,"w":0})" + rest + "}";
    const auto document = parsed(json, with(R"({"fields":{"v":{"type":"weights"}},"scorer":"impact"})"));
    EXPECT_TRUE(document) << document.error().message();
    std::string told;
    if (document)
      for (const auto& [token, impact] : document->fields.weights) told += token + " " + std::to_string(impact) + ", ";
    return told;
  };
  EXPECT_EQ(weights_of(R"(,"n":NaN,"m":0.5)"), weights_of(""));
  EXPECT_NE(weights_of("").find("y "), std::string::npos);
  EXPECT_FALSE(
      parsed(R"({"id":"a","v":{"x":-1},"n":NaN})", with(R"({"fields":{"v":{"type":"weights"}},"scorer":"impact"})")));
}
TEST(SchemaFields, OfAnotherTypeMakeABadRecordByName) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("year":"abc")", "field 'year'"},
      {R"("year":[1,2])", "field 'year' has several values"},
      {R"("year":1e400)", "field 'year'"},
      {R"("year":{"a":1})", "field 'year' holds an object"},
      {R"("year":"2010")", "field 'year'"},
      {R"("tag":7)", "field 'tag'"},
      {R"("tag":[["a"]])", "field 'tag'"},
      {R"("open":"yes")", "field 'open'"},
      {R"("at":"soon")", "field 'at'"},
      {R"("price":NaN)", "field 'price'"},
      {R"("notes":{"a":1})", "\"notes\" holds an object"},
  };
  for (const auto& [member, message] : cases) {
    const auto document = parsed("{\"id\":\"a\",\"body\":\"b\"," + std::string(member) + "}", with(kSchema));
    ASSERT_FALSE(document) << member;
    EXPECT_NE(document.error().message().find(message), std::string::npos) << document.error().message();
  }
}

TEST(SchemaFields, AreCoercedOrLeftOut) {
  const auto document =
      parsed(R"({"id":"a","body":"b","year":"2010","tag":[7,"x",{"a":1}],"open":"yes","price":"1.5","at":"soon"})",
             with(kSchema, /*coerce=*/true));
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(columns_of(*document),
            (decltype(columns_of(*document)){
                {1, {std::string("7"), std::string("x")}}, {2, {std::int64_t{2010}}}, {3, {1.5}}}));
  EXPECT_EQ(document->fields.left_out, 3u);
}

TEST(SchemaFields, HaveSoManyBytesOfValuesThatNeighboursFit) {
  std::string json = R"({"id":"a","body":"b","tag":[)";
  for (int i = 100; i < 200; ++i) json += (i == 100 ? "\"" : ",\"") + std::to_string(i) + std::string(1000, 'x') + "\"";
  json += "]}";
  const auto bad = parsed(json, with(kSchema));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "field 'tag' has more than 16320 bytes of values");
  const auto coerced = parsed(json, with(kSchema, /*coerce=*/true));
  ASSERT_TRUE(coerced);
  EXPECT_EQ(coerced->fields.columns[0].values.size(), 16320u / 1011);
  EXPECT_EQ(coerced->fields.left_out, 100 - 16320u / 1011);
}

TEST(SchemaFields, HoldWholeNumbersOf64BitsExactly) {
  const auto document = parsed(R"({"id":"a","body":"b","rest":1e400,"year":-9223372036854775807})", with(kSchema));
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(document->fields.columns[0].values[0], Value(std::int64_t{-9223372036854775807}));
}

TEST(SchemaFields, KeepASourceThatIsJson) {
  const auto lenient = parsed(R"({"id":"a","title":"t\u0001","body":"b","x":NaN})", with(R"({"fields":{}})"));
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->fields.source, R"({"id":"a","title":"t\u0001","body":"b"})");
  const auto deep = [](int brackets, std::string inside) {
    return R"({"id":"a","body":"b","x":)" + std::string(static_cast<std::size_t>(brackets), '[') + inside +
           std::string(static_cast<std::size_t>(brackets), ']') + "}";
  };
  const std::string json[] = {R"({"id":"a","body":"b","x":123456789012345678901234567890})", deep(200, "1.50")};
  for (const std::string& kept : json) EXPECT_EQ(parsed(kept, with(R"({"fields":{}})"))->fields.source, kept);
  for (const std::string& broken : {deep(200, "1 2"), deep(200, R"("\x")"), deep(2000, "1")})
    EXPECT_EQ(parsed(broken, with(R"({"fields":{}})"))->fields.source, R"({"id":"a","body":"b"})");
  const auto none = parsed(R"({"id":"a","body":"b"})", with(R"({"fields":{},"source":"none"})"));
  EXPECT_EQ(none->fields.source, "");
}

TEST(SchemaFields, AreReadFromTheCellsOfCsv) {
  auto columns = std::make_shared<const CsvColumns>(csv_columns("id,text,year,open,notes,tag,at").value());
  const auto row = [&](std::string cells, bool coerce) {
    const RawRecord record{
        .format = &kCsv, .file = "f", .name = "", .number = 1, .bytes = std::move(cells), .columns = columns};
    return parse_record(record, with(kSchema, coerce));
  };
  const auto document = row("a,b,2010,true,aside,\"x, y\",", false);
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(columns_of(*document),
            (decltype(columns_of(*document)){{1, {std::string("x, y")}}, {2, {std::int64_t{2010}}}, {5, {true}}}));
  ASSERT_EQ(document->fields.texts.size(), 1u);
  EXPECT_EQ(document->fields.texts[0].text, "aside");
  EXPECT_EQ(document->fields.source, R"({"id":"a","body":"b"})");
  const auto wrong = row("a,b,soon,,,,", false);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("field 'year'"), std::string::npos) << wrong.error().message();
  EXPECT_EQ(row("a,b,soon,,,,", true)->fields.left_out, 1u);
  using namespace std::string_literals;
  EXPECT_EQ(row("a,b,,,as\0ide,,"s, true)->fields.texts.at(0).text, "aside");
  EXPECT_TRUE(row("a,b,,,\0,,"s, true)->fields.texts.empty());
  columns = std::make_shared<const CsvColumns>(csv_columns("id,notes", {.body = {"Notes"}}).value());
  const auto twice = row("a,b", true);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "field 'notes': this column is the body; a schema has it as 'body'");
}

TEST(SchemaFields, OfTextAreTextEnough) {
  const auto document = parsed(R"({"id":"a","notes":"only these"})", with(kSchema));
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_TRUE(parsed(R"({"id":"a","notes":""})", with(kSchema)));
  EXPECT_TRUE(parsed(R"({"id":"a","year":2010})", with(kSchema))) << "a column is enough, too";
  EXPECT_FALSE(parsed(R"({"id":"a","other":2010})", with(kSchema)));
}

}  // namespace
}  // namespace frond::indexer::ingest
