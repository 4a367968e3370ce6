#include "tools/import/record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace frond::tools {
namespace {
using elasticsearch::MappedField, elasticsearch::Type;
using nlohmann::json;

std::string page_of(const std::string& source, const std::string& more = "") {
  return R"({"took":1,"_shards":{"failed":0},)" + more +
         R"("hits":{"total":{"value":9},"hits":[{"_id":"1","_source":)" + source + R"(,"sort":[12,"a"]}]}})";
}
json record_of(const MappedField& field, const std::string& source) {
  const auto page = read_page({field}, page_of(source));
  if (!page) return page.error().message();
  return json::parse(page->lines.at(0)).value(field.column, json());
}

TEST(ARecord, HasTheSourceAsItCameAndThePlaceBehindIt) {
  const auto page =
      read_page({{"a", "a", "a", Type::kLong}}, page_of("{\"a\": 1.50,\n \"b\":\"\\n\"}", R"("pit_id":"p",)"));
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->lines.at(0), "{\"id\":\"1\",\"a\":[1],\"_source\":{\"a\": 1.50,  \"b\":\"\\n\"}}\n");
  EXPECT_EQ(page->after, R"([12,"a"])");
  EXPECT_EQ(page->context, "p");
  EXPECT_EQ(page->total, 9u);
}
TEST(ARecord, TakesValuesAsElasticsearchDoes) {
  const MappedField whole{"n", "n", "n", Type::kLong}, real{"n", "n", "n", Type::kDouble},
      word{"n", "n", "n", Type::kKeyword, 3}, text{"n", "n", "n", Type::kText}, truth{"n", "n", "n", Type::kBoolean},
      date{"n", "n", "n", Type::kDate},
      second{.name = "n", .path = "n", .column = "n", .type = Type::kDate, .format = "epoch_second"};
  EXPECT_EQ(record_of(whole, R"({"n":["3.7",4,5.9,"x",null,9223372036854775807,1e30]})"),
            json({3, 4, 5, 9223372036854775807}));
  EXPECT_EQ(record_of(real, R"({"n":["3.5",4,"NaN","y"]})"), json({3.5, 4.0}));
  EXPECT_EQ(record_of(word, R"({"n":["abc","abcd","äöü",12,true]})"), json({"abc", "äöü", "12"}));
  EXPECT_EQ(record_of(text, R"({"n":["a \"b\"",1.5,false]})"), json({"a \"b\"", "1.5", "false"}));
  EXPECT_EQ(record_of(truth, R"({"n":[true,"false","","yes"]})"), json({true, false, false}));
  EXPECT_EQ(record_of(date, R"({"n":["2024","2024-02-03T04:05:06Z",1700000000000,"1700000000000","soon"]})"),
            json({1704067200000, 1706933106000, 1700000000000, 1700000000000}));
  EXPECT_EQ(record_of(second, R"({"n":[1700000000,9223372036854776,-9223372036854776]})"), json({1700000000000}));
  EXPECT_EQ(record_of(second, R"({"n":[1700000000.125,-1.5,"1.x"]})"), json({1700000000125, -1500}));
  EXPECT_EQ(record_of(date, R"({"n":[1700000000000.0,"1700000000001.9"]})"), json({1700000000000, 1700000000001}));
  EXPECT_EQ(record_of(word, R"({"other":1})"), json());
}
TEST(ARecord, FindsValuesInObjectsAndBehindDots) {
  const MappedField field{"a.b.c", "a.b.c", "c", Type::kLong};
  EXPECT_EQ(record_of(field, R"({"a":[{"b":{"c":1}},{"b":[{"c":[2,[3]]}]}],"a.b":{"c":4},"a.b.c":5})"),
            json({1, 2, 3, 4, 5}));
}
TEST(APage, RefusesAloneADocumentThatCantBeRead) {
  const auto page =
      read_page({{"a", "a", "a", Type::kText}},
                R"({"hits":{"hits":[{"_id":"1","_source":{"a":"\ud800"},"sort":[1]},{"_id":"2","sort":[2]},)"
                R"({"_id":"3","_source":null,"sort":[3]},{"_id":"4","_source":{"a":"b"},"sort":[4]}]}})");
  ASSERT_TRUE(page) << page.error().message();
  ASSERT_EQ(page->lines.size(), 1u);
  EXPECT_EQ(json::parse(page->lines[0])["id"], "4");
  ASSERT_EQ(page->refused.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(page->refused[i].id, std::to_string(i + 1));
  EXPECT_EQ(page->refused[1].why, "it has no _source");
  EXPECT_EQ(page->after, "[4]");
  EXPECT_EQ(page->hits(), 4u);
}
TEST(APage, ThatIsNoneIsRefused) {
  const std::vector<MappedField> none;
  EXPECT_TRUE(read_page(none, R"({"hits":{"hits":[]}})")->lines.empty());
  for (const char* broken :
       {"", "[]", "{", R"({"hits":1})", R"({"hits":{"hits":[1]}})", R"({"hits":{"hits":[{"_source":{}}]}})",
        R"({"hits":{"hits":[{"_id":"1","_source":{"a":}}]}})"})
    EXPECT_FALSE(read_page(none, broken)) << broken;
  EXPECT_EQ(read_page(none, R"({"_shards":{"failed":2},"hits":{"hits":[]}})"), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::tools
