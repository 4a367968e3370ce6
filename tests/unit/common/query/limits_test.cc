// What a clause costs, and what is refused.
#include "common/query/limits.h"

#include <gtest/gtest.h>

#include "common/query/json/clause_json.h"

namespace frond::query {
namespace {

std::string problem(std::string_view json, const Limits& limits) {
  const auto checked = check_limits(*parse_clause(json, "query"), limits);
  return checked ? "" : checked.error().message();
}

TEST(Limits, CountEachDimension) {
  const auto clause =
      parse_clause(R"({"bool":{"must":[{"words":{"field":"title","text":" hard  links "}},{"boost":{"of":
      {"phrase":{"text":"a b","prefix":true}},"by":2}}],"filter":[{"terms":{"field":"tag","values":["xyz",1]}},
      {"ids":["a"]},{"wildcard":{"value":"ab*"}}],"should":[{"weights":{"field":"v","terms":{"t":1}}}]}})",
                   "query");
  EXPECT_EQ(cost_of(*clause), (Cost{8, 3, 5, 3, 13 + 5 + 3 + 11 + 3 + 1 + 3 + 1 + 1, 2}));
}

TEST(Limits, AreNamedWhenTheyAreExceeded) {
  const std::string two = R"({"bool":{"must":[{"words":{"text":"a b c"}}]}})";
  EXPECT_EQ(problem(two, {}), "");
  EXPECT_EQ(problem(two, {.max_clauses = 1}), "the query has 2 clauses, more than max_clauses (1)");
  EXPECT_EQ(problem(two, {.max_depth = 1}), "the query has 2 clauses inside each other, more than max_depth (1)");
  EXPECT_EQ(problem(two, {.max_terms = 2}), "the query has 3 words, more than max_terms (2)");
  EXPECT_EQ(problem(two, {.max_bytes = 4}), "the query has 5 bytes, more than max_bytes (4)");
  EXPECT_EQ(problem(R"({"ids":["a","b"]})", {.max_values = 1}), "the query has 2 values, more than max_values (1)");
  EXPECT_EQ(problem(R"({"prefix":{"value":"ab"}})", {.max_patterns = 0}),
            "the query has 1 prefixes and wildcards, more than max_patterns (0)");
  EXPECT_EQ(problem(R"({"wildcard":{"value":"*"}})", {}),
            "the wildcard '*' begins with 0 characters, fewer than min_prefix (2)");
  EXPECT_EQ(problem(R"({"bool":{"filter":[{"prefix":{"value":"é"}}]}})", {}),
            "the prefix 'é' begins with 1 characters, fewer than min_prefix (2)");
  EXPECT_EQ(problem(R"({"phrase":{"text":"a b","slop":101}})", {}),
            "the phrase 'a b' has slop 101, more than max_slop (100)");
}

TEST(Limits, HoldForBoostsThatMultiply) {
  const auto boosted = [](const std::string& clause, const char* by) {
    return R"({"boost":{"of":)" + clause + R"(,"by":)" + by + "}}";
  };
  const std::string words = R"({"words":{"text":"a"}})", constant = R"({"constant":{"of":{"all":{}},"score":500}})";
  EXPECT_EQ(problem(boosted(boosted(words, "10"), "10"), {}), "");
  const char* const too_much = "the query has boosts inside each other whose product is more than 100";
  EXPECT_EQ(problem(boosted(boosted(words, "10"), "10.01"), {}), too_much);
  EXPECT_EQ(problem(boosted(R"({"max":{"of":[)" + boosted(words, "3") + "]}}", "50"), {}), too_much);
  EXPECT_EQ(problem(boosted(R"({"bool":{"filter":[)" + boosted(words, "3") + "]}}", "50"), {}), "");
  EXPECT_EQ(problem(boosted(constant, "20"), {}), "");
  EXPECT_EQ(problem(boosted(constant, "20.01"), {}),
            "the query has a constant score that is more than 10000 with its boosts");
}

TEST(Limits, CountTheCharactersBeforeThePattern) {
  EXPECT_EQ(fixed_characters("ab*c"), 2u);
  EXPECT_EQ(fixed_characters(R"(a\*b?)"), 3u);
  EXPECT_EQ(fixed_characters("日本*"), 2u);
  EXPECT_EQ(fixed_characters("*"), 0u);
}

}  // namespace
}  // namespace frond::query
