// Schemas: read, written, compared.
#include "common/schema/schema.h"

#include <gtest/gtest.h>

#include "common/schema/schema_json.h"

namespace frond::schema {
namespace {

const std::string kContract = R"({"fields": {
  "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
  "body":  {"type": "text", "positions": true},
  "tag":   {"type": "keyword", "many": true}, "year": {"type": "integer"}, "price": {"type": "float"}, "published": {"type": "date"},
  "open": {"type": "boolean"}},
 "source": "stored", "scorer": "bm25"})";

std::string problem(std::string_view text) {
  const auto schema = parse_schema(text);
  return schema ? "none" : schema.error().message();
}
Schema with(std::string_view fields) { return *parse_schema(R"({"fields":{)" + std::string(fields) + "}}"); }
std::string change(std::string_view old, std::string_view wanted) {
  const auto extends = check_extends(with(old), with(wanted));
  return extends ? "none" : extends.error().message();
}

TEST(Schema, IsReadAsUsersWriteIt) {
  const auto schema = parse_schema(kContract);
  ASSERT_TRUE(schema) << schema.error().message();
  EXPECT_EQ(schema->names(),
            (std::vector<std::string_view>{"title", "body", "tag", "year", "price", "published", "open"}));
  EXPECT_EQ(schema->find("title")->weight, 3u);
  EXPECT_TRUE(schema->find("title")->positions && schema->find("title")->field_search && schema->find("title")->stored);
  EXPECT_FALSE(schema->find("body")->field_search);
  EXPECT_TRUE(schema->find("tag")->many);
  EXPECT_EQ(schema->find("published")->type, FieldType::kDate);
  EXPECT_EQ(schema->find("nosuch"), nullptr);
  EXPECT_TRUE(schema->source_stored && schema->has_positions());
}

TEST(Schema, ComesBackFromItsText) {
  for (
      const std::string_view text :
      {std::string_view(kContract), std::string_view("{}"), std::string_view(R"({"source": "none"})"),
       std::string_view(
           R"({"scorer": "impact", "fields": {"v": {"type": "weights", "scale": 0.1}, "a": {"type": "text", "stored": false, "analyzer": "standard2"}}})")}) {
    const auto schema = parse_schema(text);
    ASSERT_TRUE(schema) << schema.error().message();
    EXPECT_EQ(parse_schema(schema_text(*schema)), *schema);
    EXPECT_EQ(schema_text(*parse_schema(schema_text(*schema))), schema_text(*schema));
  }
  EXPECT_EQ(
      schema_text(with(R"("b":{"type":"text","positions":false,"weight":2},"a":{"type":"date","many":true})")),
      R"({"fields":{"b":{"type":"text","weight":2},"a":{"type":"date","many":true}},"source":"stored","scorer":"bm25"})");
}

TEST(Schema, NamesTheFieldAndTheMemberThatAreWrong) {
  EXPECT_EQ(problem("[]"), "the schema is an array, not an object");
  EXPECT_EQ(problem(R"({"field": {}})"),
            "field is no member of a schema; the nearest names are fields, scorer, source");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "txt"}}})"),
            "fields.a.type is 'txt'; the nearest names are text, date, float");
  EXPECT_EQ(problem(R"({"fields": {"a": {}}})"), "fields.a has no type");
  EXPECT_EQ(problem(R"({"fields": {"a": "text"}})"), "fields.a is a string, not an object with a type");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "text", "wieght": 3}}})"),
            "fields.a.wieght is no member of a field of type text; the nearest names are weight, stored, type");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "integer", "positions": true}}})"),
            "fields.a.positions is no member of a field of type integer; the nearest names are many, type");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "text", "weight": 0}}})"),
            "fields.a.weight is not a whole number from 1 to 100");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "text", "positions": 1}}})"),
            "fields.a.positions is a number, not true or false");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "text", "analyzer": "standard4"}}})"),
            "fields.a.analyzer is 'standard4'; the nearest names are standard, standard2, standard3");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "weights"}}})"),
            "fields.a.type is weights, which needs \"scorer\": \"impact\"");
  EXPECT_EQ(problem(R"({"scorer": "impact"})"), "scorer is impact, which needs a field of type weights");
  EXPECT_EQ(problem(R"({"scorer": "impact", "fields": {"a": {"type": "weights"}, "b": {"type": "weights"}}})"),
            "fields.b.type is weights, as that of 'a' is; there can be only one");
  EXPECT_EQ(problem(R"({"scorer": "impact", "fields": {"a": {"type": "weights", "scale": 0}}})"),
            "fields.a.scale is 0.0, not above 0 and at most 1e+06");
  EXPECT_EQ(problem(R"({"fields": {"a": {"type": "text"}, "a": {"type": "text"}}})"), "fields has two members 'a'");
  EXPECT_EQ(problem(R"({"source": "all"})"), "source is 'all'; the nearest names are none, stored");
}

TEST(Schema, TakesNamesThatNeedNoQuotes) {
  for (const std::string_view name : {"a", "A1", "a_b-c.d", "scores"}) EXPECT_TRUE(is_field_name(name)) << name;
  for (const std::string& name : {std::string(), std::string("1a"), std::string("_score"), std::string("a b"),
                                  std::string("a:b"), std::string("é"), std::string("id"), std::string("url"),
                                  std::string("source"), std::string("score"), std::string(65, 'a')})
    EXPECT_FALSE(is_field_name(name)) << name;
  EXPECT_EQ(problem(R"({"fields": {"_id": {"type": "text"}}})").substr(0, 28), "fields has the name '_id': a");
  std::string many = R"({"fields":{)";
  for (std::size_t i = 0; i <= kMaxFields; ++i)
    many += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + R"(":{"type":"text"})";
  EXPECT_EQ(problem(many + "}}"), "fields has more than 256 members");
}

TEST(Schema, MayGainFieldsAndNeverChangeOne) {
  const std::string a = R"("a":{"type":"text"})", b = R"("b":{"type":"integer"})";
  EXPECT_EQ(change(a, a), "none");
  EXPECT_EQ(change(a, a + "," + b), "none");
  EXPECT_EQ(change(a, b + "," + a), "none");
  EXPECT_EQ(change(a + "," + b, a), "fields.b would be gone; a schema may only gain fields");
  EXPECT_EQ(change(a, R"("a":{"type":"keyword"})"),
            "fields.a.type would change from text to keyword; a schema may only gain fields");
  EXPECT_EQ(change(a, R"("a":{"type":"text","weight":2})"),
            "fields.a.weight would change from 1 to 2; a schema may only gain fields");
  EXPECT_EQ(change(b, R"("b":{"type":"integer","many":true})"),
            "fields.b.many would change from false to true; a schema may only gain fields");
  EXPECT_EQ(change(a, R"("a":{"type":"text","positions":true})"),
            "fields.a.positions would change from false to true; a schema may only gain fields");
  Schema other = with(a);
  other.source_stored = false;
  EXPECT_EQ(check_extends(with(a), other).error().message(), "source would change from stored to none");
}

TEST(Schema, KeepsThePlacesOfFieldsWhenItGainsSome) {
  const std::string a = R"("a":{"type":"text"})", b = R"("b":{"type":"integer"})", c = R"("c":{"type":"date"})";
  EXPECT_EQ(extended(with(b + "," + a), with(c + "," + a + "," + b)).value(), with(b + "," + a + "," + c));
  EXPECT_EQ(extended(with(a), with(a)).value(), with(a));
  EXPECT_EQ(extended(with(a), with(b)), Code::kInvalid);
}

TEST(Schema, NamesTheNearestOfAnUnknownField) {
  EXPECT_EQ(unknown_field(*parse_schema(kContract), "yaer").message(),
            "field 'yaer' is not in the schema; the nearest names are year, open, tag");
  EXPECT_EQ(unknown_field({}, "a").message(), "field 'a' is not in the schema");
}

}  // namespace
}  // namespace frond::schema
