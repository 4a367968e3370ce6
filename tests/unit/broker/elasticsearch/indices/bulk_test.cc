#include "broker/elasticsearch/documents/bulk.h"

#include <gtest/gtest.h>

#include <string>

#include "broker/elasticsearch/documents/partial_document.h"
#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/search/search_request.h"

namespace frond::broker::elasticsearch {
namespace {
using Kind = DocumentChange::Kind;

std::string refusal(std::string_view body, std::string_view index = "i") {
  const auto items = parse_bulk(body, index, false);
  return items ? "none" : std::to_string(items.error().status) + " " + items.error().type;
}

// With a look at each name for each of the others they would take minutes.
TEST(ADocumentOfManyNames, IsShownSortedAndNotUpdated) {
  std::string many = "{";
  for (int i = 0; i < 100'000; ++i) many += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\":null";
  many += "}";
  ShownSource filter;
  filter.includes = {"n1*"};
  EXPECT_EQ(Json::parse(filtered_source(many, filter)).size(), 11'111u);
  const std::string few = "{}";
  EXPECT_EQ(merged_source(&few, "{\"doc\":" + many + "}", "i", "1").error().status, 413);
  EXPECT_EQ(merged_source(&many, "{\"doc\":{\"a\":1}}", "i", "1").error().status, 413);
}
TEST(ABulk, HasItemsWithAndWithoutADocument) {
  const auto items = parse_bulk(
      "{\"index\":{\"_id\":\"1\"}}\n{\"a\":1}\n\n{\"delete\":{\"_index\":\"other\",\"_id\":2}}\n"
      "{\"create\":{\"if_seq_no\":4,\"if_primary_term\":1}}\r\n{\"b\" : 2}\r\n",
      "i", false);
  ASSERT_TRUE(items);
  ASSERT_EQ(items->size(), 3u);
  EXPECT_EQ((*items)[0].change.source, "{\"a\":1}");
  EXPECT_EQ((*items)[1].change.kind, Kind::kDelete);
  EXPECT_EQ((*items)[1].change.index + (*items)[1].change.id, "other2");
  EXPECT_EQ((*items)[2].change.if_seq_no, 4u);
  EXPECT_EQ((*items)[2].change.source, "{\"b\" : 2}") << "as it came";
}
TEST(ABulk, IsRefusedAsAWholeWhereItIsNotKnownWhatToDo) {
  EXPECT_EQ(refusal(""), "400 parse_exception");
  EXPECT_EQ(refusal("{\"index\":{}}\n{}"), "400 illegal_argument_exception") << "no newline at the end";
  EXPECT_EQ(refusal("{\"upsert\":{}}\n{}\n"), "400 illegal_argument_exception");
  EXPECT_EQ(refusal("{\"index\":{\"nosuch\":1}}\n{}\n"), "400 illegal_argument_exception");
  EXPECT_EQ(refusal("[]\n"), "400 illegal_argument_exception");
  EXPECT_EQ(refusal("{\"index\":{}}\n"), "400 action_request_validation_exception");
  EXPECT_EQ(refusal("\n\n"), "400 action_request_validation_exception");
  EXPECT_EQ(refusal("{\"index\":{}}\n{}\n", ""), "400 action_request_validation_exception") << "no index";
  EXPECT_EQ(refusal("{\"delete\":{}}\n"), "400 action_request_validation_exception") << "no id";
  std::string many;
  for (std::size_t i = 0; i <= kMaxBulkItems; ++i) many += "{\"delete\":{\"_id\":\"1\"}}\n";
  EXPECT_EQ(refusal(many), "413 content_too_long_exception");
}

std::string merged(const char* now, const std::string& request) {
  const std::string before = now == nullptr ? "" : now;
  const auto after = merged_source(now == nullptr ? nullptr : &before, request, "i", "1");
  return !after ? after.error().type : *after ? **after : "noop";
}
TEST(AnUpdate, MergesObjectsAndReplacesTheRest) {
  EXPECT_EQ(merged(R"({"z":1,"a":{"b":1,"c":[1,2]}})", R"({"doc":{"a":{"c":[3]},"n":null}})"),
            R"({"z":1,"a":{"b":1,"c":[3]},"n":null})");
  EXPECT_EQ(merged(R"({"a":1})", R"({"doc":{"a":1}})"), "noop");
  EXPECT_EQ(merged(R"({"a":1})", R"({"doc":{"a":1},"detect_noop":false})"), R"({"a":1})");
  EXPECT_EQ(merged(nullptr, R"({"doc":{"a":1}})"), "document_missing_exception");
  EXPECT_EQ(merged(nullptr, R"({"doc":{"a":1},"upsert":{"b":2}})"), R"({"b":2})");
  EXPECT_EQ(merged(nullptr, R"({"doc":{"a":1},"doc_as_upsert":true})"), R"({"a":1})");
  EXPECT_EQ(merged(R"({"a":1})", R"({"script":"x"})"), "illegal_argument_exception");
  EXPECT_EQ(merged(R"({"a":1})", R"({"dco":{}})"), "x_content_parse_exception");
}
TEST(AShownSource, HasTheMembersThatAreAskedFor) {
  const std::string source = R"({"a":{"b":1,"c":2},"d":[{"e":3,"f":4}]})";
  const auto shown = [&](const Parameters& parameters) {
    return filtered_source(source, source_filter_in(parameters));
  };
  EXPECT_EQ(shown({}), source);
  EXPECT_EQ(shown({{"_source", "true"}}), source);
  EXPECT_FALSE(source_filter_in(Parameters{{"_source", "false"}}).shown);
  EXPECT_EQ(shown({{"_source", "a.b,d.e"}}), R"({"a":{"b":1},"d":[{"e":3}]})");
  EXPECT_EQ(shown({{"_source_excludes", "a.c,d"}}), R"({"a":{"b":1}})");
  EXPECT_EQ(shown({{"_source_excludes", "*.c"}, {"_source", "a"}}), R"({"a":{"b":1}})");
  EXPECT_EQ(shown({{"_source_includes", "a"}, {"_source", "true"}}), R"({"a":{"b":1,"c":2}})");
}

}  // namespace
}  // namespace frond::broker::elasticsearch
