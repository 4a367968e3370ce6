// Mappings, documents and dates.
#include "common/elasticsearch/mapping.h"
#include "broker/elasticsearch/error.h"

#include <gtest/gtest.h>

#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"

namespace frond::broker::elasticsearch {
namespace {

Expected<Mapping> mapped(const char* properties, const Json& settings = nullptr) {
  return read_mapping(settings, {{"properties", Json::parse(properties)}}, Origin::kRequest);
}

TEST(AMapping, BecomesASchemaWhoseNamesRecordsDoNotUseOtherwise) {
  const auto mapping = mapped(R"({"title":{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":3}}},
      "@timestamp":{"type":"date"},"id":{"type":"long"},"a":{"properties":{"b":{"type":"float"}}}})");
  ASSERT_TRUE(mapping);
  const schema::Schema schema = schema_of(*mapping);
  EXPECT_TRUE(schema::check(schema));
  EXPECT_EQ(mapping->find("@timestamp")->column, "f.-40timestamp");
  EXPECT_EQ(mapping->find("id")->column, "f.id");
  EXPECT_EQ(mapping->find("a.b")->column, "a.b");
  EXPECT_TRUE(schema.find("title")->positions);
  EXPECT_TRUE(schema.find("title.keyword")->many);
  EXPECT_TRUE(mapping->is_object("a"));
}

TEST(AMapping, RefusesWhatItDoesNotKnowByName) {
  EXPECT_EQ(mapped(R"({"a":{"type":"txt"}})").error().reason,
            "Failed to parse mapping [_doc]: No handler for type [txt] declared on field [a]");
  EXPECT_EQ(mapped(R"({"a":{"type":"keyword","nosuch":1}})").error().type, "mapper_parsing_exception");
  EXPECT_EQ(mapped(R"({"a":{"type":"keyword","copy_to":"b"}})").error().status, 501);
  EXPECT_EQ(mapped(R"({"a":{"type":"text"},"b":{"type":"text","analyzer":"english"}})").error().status, 501);
}

TEST(ADocument, HasNothingOfTheOneBefore) {
  const auto mapping = mapped(R"({"k":{"type":"keyword"},"n":{"type":"long"},"t":{"type":"text"}})");
  ASSERT_TRUE(mapping);
  const std::string large(10'000, 'x');  // more than is kept for the next one
  ASSERT_TRUE(document_of(*mapping, "1", R"({"k":["a","b"],"n":[1,2],"t":")" + large + "\"}"));
  EXPECT_EQ(document_of(*mapping, "2", R"({"n":3})")->record, R"({"id":"2","n":[3],"title":"","_source":{"n":3}})");
  ASSERT_FALSE(document_of(*mapping, "3", R"({"k":"c","n":"no number"})"));
  EXPECT_EQ(document_of(*mapping, "4", "{}")->record, R"({"id":"4","title":"","_source":{}})");
}

TEST(AMapping, MayGainFieldsAndChangeNone) {
  const auto mapping = mapped(R"({"k":{"type":"keyword"}})");
  ASSERT_TRUE(mapping);
  const auto wider =
      extended(*mapping, {{"properties", {{"k", {{"type", "keyword"}, {"fields", {{"t", {{"type", "text"}}}}}}}}}});
  ASSERT_TRUE(wider);
  EXPECT_NE(wider->find("k.t"), nullptr);
  EXPECT_FALSE(extended(*mapping, {{"properties", {{"k", {{"type", "text"}}}}}}));
}

TEST(AnAnalyzer, OfSettingsIsOneOfFrondsOrRefused) {
  const Json settings = Json::parse(
      R"({"index":{"analysis":{"analyzer":{"plain":{"type":"custom","tokenizer":"standard","filter":["lowercase"]},
      "grams":{"type":"custom","tokenizer":"ngram","filter":["lowercase"]}}},"similarity":{"default":{"type":"BM25","k1":"0.9"}}}})");
  const auto mapping = mapped(R"({"a":{"type":"text","analyzer":"plain"}})", settings);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(mapping->analyzer.stemmer, text::Stemmer::kNone);
  EXPECT_EQ(mapping->bm25.k1, 0.9);
  EXPECT_EQ(mapped(R"({"a":{"type":"text","analyzer":"grams"}})", settings).error().status, 501);
  EXPECT_EQ(mapped(R"({"a":{"type":"text","analyzer":"nosuch"}})", settings).error().status, 400);
}

TEST(ADocument, IsARecordOfItsColumnsAndItsSource) {
  const auto mapping =
      mapped(R"({"t":{"type":"text"},"n":{"type":"integer"},"r":{"type":"float"},"b":{"type":"boolean"},
      "d":{"type":"date"},"o":{"properties":{"k":{"type":"keyword","ignore_above":2}}}})");
  ASSERT_TRUE(mapping);
  const char* const source =
      "{\"t\":[\"a\",\"b\"],\"n\":\"3.7\",\"r\":4.9,\"b\":\"\",\"d\":\"2020-01-01\",\"o\":{\"k\":[\"ab\",\"abc\"]},"
      "\"o.k\":\"x\"}";
  const auto made = document_of(*mapping, "7", source);
  ASSERT_TRUE(made);
  const Json record = Json::parse(made->record);
  EXPECT_EQ(record["t"], "a\nb");
  EXPECT_EQ(record["n"], Json::array({3}));
  EXPECT_EQ(record["r"], Json::array({4.900000095367432}));
  EXPECT_EQ(record["b"], Json::array({false}));
  EXPECT_EQ(record["d"], Json::array({1577836800000}));
  EXPECT_EQ(record["o.k"], Json::parse(R"(["ab","x"])"));
  EXPECT_EQ(Json::parse(source_of(made->record)), Json::parse(source));
}

TEST(ADocument, GivesItsNewFieldsTypes) {
  const auto made = document_of(*read_mapping(nullptr, nullptr), "1",
                                R"({"s":"x y","n":1,"r":1.5,"b":true,"d":"2020-01-01","o":{"x":[2]}})");
  ASSERT_TRUE(made && made->mapping);
  const Json& fields = made->mapping->shown["properties"];
  EXPECT_EQ(fields["s"], Json::parse(R"({"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":256}}})"));
  EXPECT_EQ(fields["n"]["type"], "long");
  EXPECT_EQ(fields["r"]["type"], "float");
  EXPECT_EQ(fields["d"]["type"], "date");
  EXPECT_EQ(fields["o"]["properties"]["x"]["type"], "long");
}

TEST(ADocument, HasAsManyBytesAsItsRecordTakes) {
  const auto mapping = mapped(R"({"t":{"type":"text","fields":{"a":{"type":"text"},"b":{"type":"text"}}}})");
  ASSERT_TRUE(mapping);
  std::string escaped;
  for (int i = 0; i < 100; ++i) escaped += "\\u0001";
  const std::string controls = R"({"t":")" + escaped + "\"}";
  EXPECT_TRUE(document_of(*mapping, "1", controls, 3 * (602 + kValueBytes)));
  const auto more = document_of(*mapping, "1", controls, 3 * (602 + kValueBytes) - 1);
  ASSERT_FALSE(more) << "each of three fields has six bytes a character";
  EXPECT_EQ(more.error().type, "mapper_parsing_exception");
  EXPECT_FALSE(document_of(*read_mapping(nullptr, nullptr), "1", controls, 300)) << "of fields that it brings, too";
}

TEST(ADocument, OfAStrictMappingHasNoOthers) {
  const auto mapping = read_mapping(nullptr, {{"dynamic", "strict"}, {"properties", {{"n", {{"type", "short"}}}}}});
  EXPECT_EQ(document_of(*mapping, "1", R"({"zz":1})").error().type, "strict_dynamic_mapping_exception");
  EXPECT_EQ(document_of(*mapping, "1", R"({"n":40000})").error().type, "mapper_parsing_exception");
  EXPECT_EQ(document_of(*mapping, "1", R"({"_id":"9"})").error().type, "mapper_parsing_exception");
}

TEST(ADate, RoundsUpItsTimeOnly) {
  DateReading up;
  up.round_up = true;
  const auto shown = [](const auto& ms) { return ms ? print_date(*ms, kUsualDateFormat).value_or("?") : "none"; };
  EXPECT_EQ(shown(parse_date("2024-12", kUsualDateFormat, up)), "2024-12-01T23:59:59.999Z");
  EXPECT_EQ(shown(parse_date("2024-12", kUsualDateFormat, {})), "2024-12-01T00:00:00.000Z");
  EXPECT_EQ(shown(parse_date("2023-02-30", kUsualDateFormat, {})), "none");
  EXPECT_EQ(shown(parse_date("01/02/2021", "dd/MM/yyyy", {})), "2021-02-01T00:00:00.000Z");
  EXPECT_EQ(shown(parse_date_math("2021-01-31||+1M/d", kUsualDateFormat, {})), "2021-02-28T00:00:00.000Z");
  EXPECT_FALSE(parse_date_math("2021-01-31||+1x", kUsualDateFormat, {}));
}

TEST(ADate, FollowsTheClocksOfItsZone) {
  const auto zone = zone_named("+05:30");
  ASSERT_TRUE(zone);
  DateReading reading;
  reading.zone = *zone;
  EXPECT_EQ(parse_date("2026-03-08", kUsualDateFormat, reading), 1772908200000);
  EXPECT_EQ(print_date(0, "x"), "+00");
  EXPECT_EQ(print_date(0, "xxx"), "+00:00");
  EXPECT_EQ(print_date(0, "Z"), "+0000");
  EXPECT_EQ(print_date(1772908200000, kUsualDateFormat, *zone), "2026-03-08T00:00:00.000+05:30");
}

}  // namespace
}  // namespace frond::broker::elasticsearch
