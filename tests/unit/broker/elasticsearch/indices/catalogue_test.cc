#include "broker/elasticsearch/indices/catalogue.h"

#include <gtest/gtest.h>

#include <string>

namespace frond::broker::elasticsearch {
namespace {

Indices some() {
  Indices indices;
  for (const char* name : {"logs-1", "logs-2", "books"}) indices[name] = {.name = name, .aliases = Json::object()};
  indices["logs-1"].aliases = {{"recent", {{"filter", {{"term", {{"day", 1}}}}}}}, {"all-logs", Json::object()}};
  indices["logs-2"].aliases = {{"recent", {{"filter", {{"term", {{"day", 2}}}}}}},
                               {"all-logs", {{"is_write_index", true}}}};
  return indices;
}

// "logs-1 logs-2(1)": names, and how many filters; or the error's type.
std::string resolved(const std::string& expression, const ExpressionRules& rules = {}) {
  const Indices indices = some();
  const auto meant = resolve(indices, expression, rules);
  if (!meant) return meant.error().type;
  std::string text;
  for (const Meant& one : *meant)
    text += (text.empty() ? "" : " ") + one.index->name +
            (one.filters.empty() ? "" : "(" + std::to_string(one.filters.size()) + ")");
  return text;
}

TEST(AnIndexExpression, MeansNamesListsPatternsAndAll) {
  EXPECT_EQ(resolved("books"), "books");
  EXPECT_EQ(resolved("logs-2,books,books"), "books logs-2");
  EXPECT_EQ(resolved("logs*"), "logs-1 logs-2");
  EXPECT_EQ(resolved("*,-logs-*"), "books");
  for (const char* all : {"", "_all", "*"}) EXPECT_EQ(resolved(all), "books logs-1 logs-2") << all;
}
TEST(AnIndexExpression, KeepsFiltersOfAliasesUnlessTheIndexIsNamedToo) {
  EXPECT_EQ(resolved("recent"), "logs-1(1) logs-2(1)");
  EXPECT_EQ(resolved("recent,logs-1"), "logs-1 logs-2(1)");
  EXPECT_EQ(resolved("recent,all-logs"), "logs-1 logs-2");
  EXPECT_EQ(resolved("re*"), "logs-1(1) logs-2(1)");
}
TEST(AnIndexExpression, IsRefusedWhereANameIsMissing) {
  EXPECT_EQ(resolved("nosuch"), "index_not_found_exception");
  EXPECT_EQ(resolved("books,-books"), "index_not_found_exception") << "an exclusion needs a pattern before it";
  EXPECT_EQ(resolved("nosuch,books", {.ignore_unavailable = true}), "books");
  EXPECT_EQ(resolved("nosuch*"), "");
  EXPECT_EQ(resolved("nosuch*", {.allow_no_indices = false}), "index_not_found_exception");
  EXPECT_EQ(resolved("logs*", {.expand_wildcards = false}), "index_not_found_exception");
  EXPECT_EQ(resolved("recent", {.aliases = false}), "index_not_found_exception");
}
TEST(AnIndexExpression, NamesOneIndexToWriteTo) {
  const Indices indices = some();
  EXPECT_EQ((*write_index(indices, "books"))->name, "books");
  EXPECT_EQ((*write_index(indices, "all-logs"))->name, "logs-2");
  EXPECT_EQ(*write_index(indices, "nosuch"), nullptr);
  EXPECT_EQ(write_index(indices, "recent").error().type, "illegal_argument_exception");
}
TEST(AnIndexName, IsOneThatCollectionsMayHave) {
  for (const char* good : {"a", "logs-2026.03.08", "a_b"}) EXPECT_TRUE(check_index_name(good)) << good;
  for (const char* bad : {"", ".", "..", "Upper", "a b", "a*", "_a", "-a", "+a", "a#b", "a:b", ".a", "\xc3\xa9"})
    EXPECT_FALSE(check_index_name(bad)) << bad;
  EXPECT_FALSE(check_index_name(std::string(129, 'a')));
}
TEST(APattern, MatchesWithStarsOnly) {
  EXPECT_TRUE(matches_pattern("a*b*", "axxbyy"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_FALSE(matches_pattern("a*b", "ab-"));
  EXPECT_FALSE(matches_pattern("a?", "ab"));
}

}  // namespace
}  // namespace frond::broker::elasticsearch
