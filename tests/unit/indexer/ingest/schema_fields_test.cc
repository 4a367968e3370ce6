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

TEST(SchemaFields, KeepASourceThatIsJson) {
  const auto lenient = parsed(R"({"id":"a","title":"t\u0001","body":"b","x":NaN})", with(R"({"fields":{}})"));
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->fields.source, R"({"id":"a","title":"t\u0001","body":"b"})");
  const auto none = parsed(R"({"id":"a","body":"b"})", with(R"({"fields":{},"source":"none"})"));
  EXPECT_EQ(none->fields.source, "");
}

TEST(SchemaFields, AreReadFromTheCellsOfCsv) {
  const auto columns = std::make_shared<const CsvColumns>(csv_columns("id,text,year,open,notes,tag,at").value());
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
}

TEST(SchemaFields, OfTextAreTextEnough) {
  const auto document = parsed(R"({"id":"a","notes":"only these"})", with(kSchema));
  ASSERT_TRUE(document) << document.error().message();
}

}  // namespace
}  // namespace frond::indexer::ingest
