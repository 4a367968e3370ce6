// JSON from outside.
#include "common/schema/json.h"

#include <gtest/gtest.h>

namespace frond::schema {
namespace {

std::string json_problem(std::string_view text) {
  const auto json = parse_json(text);
  return json ? "none" : json.error().message();
}

TEST(Json, KeepsTheOrderOfMembersAndTheTypesOfNumbers) {
  const auto json =
      parse_json(R"({"b": [1, 1.0, -9223372036854775808, 9223372036854775808, true, null, "x"], "a": {}})");
  ASSERT_TRUE(json);
  ASSERT_EQ(json->object()->size(), 2u);
  EXPECT_EQ((*json->object())[0].name, "b");
  EXPECT_EQ((*json->object())[1].name, "a");
  EXPECT_EQ((*json->object())[1].value.kind(), "an object");
  const auto& values = *(*json->object())[0].value.array();
  EXPECT_EQ(*values[0].scalar(), Value(std::int64_t{1}));
  EXPECT_EQ(*values[1].scalar(), Value(1.0));
  EXPECT_EQ(*values[2].scalar(), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(*values[3].scalar(), Value(9223372036854775808.0));
  EXPECT_EQ(values[4].kind(), "true or false");
  EXPECT_EQ(values[5].kind(), "null");
  EXPECT_EQ(*values[6].as<std::string>(), "x");
}

TEST(Json, NamesWhatIsWrong) {
  EXPECT_EQ(json_problem(R"({"a": {"b": [{}, {"c": 1, "c": 2}]}})"), "a.b[1] has two members 'c'");
  EXPECT_EQ(json_problem(R"({"a": 1, "a": 1})"), "the JSON has two members 'a'");
  EXPECT_EQ(json_problem(R"({"a": 1e999})"), "the JSON has a number that is too large");
  EXPECT_EQ(json_problem(R"({"a": )"), "the text is not JSON at byte 7");
  EXPECT_EQ(json_problem(""), "the text is not JSON at byte 1");
  EXPECT_EQ(json_problem("1 2"), "the text is not JSON at byte 3");
  EXPECT_NE(json_problem(std::string(1'000'000, '[')).find("is nested more than 400 times"), std::string::npos);
}

TEST(Json, WritesStringsAndScalars) {
  EXPECT_EQ(json_string("a\"b\n\xff"), "\"a\\\"b\\n\uFFFD\"");
  EXPECT_EQ(json_scalar(Value(2.0)), "2.0");
  EXPECT_EQ(json_scalar(Value(true)), "true");
  EXPECT_EQ(json_scalar(Value("x")), "\"x\"");
  EXPECT_EQ(member_path("", "a"), "a");
  EXPECT_EQ(member_path("a", "b"), "a.b");
}

}  // namespace
}  // namespace frond::schema
