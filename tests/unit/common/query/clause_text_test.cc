// What was understood, for people.
#include "common/query/clause_text.h"

#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/query/language/query_parser.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

std::string text_of(std::string_view q) {
  const auto schema = support::query_schema();
  return clause_text(*bind(parse_query(q, schema, {}).clause, schema, "q"), schema);
}

TEST(ClauseText, ReadsLikeTheQueryLanguage) {
  EXPECT_EQ(text_of("hard  links"), "hard links");
  EXPECT_EQ(text_of("+a -title:b \"c d\"~2^2.5 e f"), "+a \"c d\"~2^2.5 (e f) -title:b");
  EXPECT_EQ(text_of("(a OR b) AND year:[2010 TO 2020}"), "+(a b) +year:[2010 TO 2019]");
  EXPECT_EQ(text_of("published:2020"), "published:[2020-01-01T00:00:00Z TO 2020-12-31T23:59:59.999Z]");
  EXPECT_EQ(text_of("tag:\"Blue Sky\" tag:* wor* price:>1.5"), "tag:\"Blue Sky\" tag:* wor* price:{1.5 TO *]");
  EXPECT_EQ(text_of("*:*"), "*:*");
}

TEST(ClauseText, HasSignsForWhatTheLanguageHasNot) {
  const auto text = [](std::string_view json) {
    return clause_text(*parse_clause(json, "q"), support::query_schema());
  };
  EXPECT_EQ(text(R"({"bool":{"should":[{"words":{"text":"a"}},{"words":{"text":"b"}}],"minimum_should_match":2}})"),
            "(a b)~2");
  EXPECT_EQ(text(R"({"max":{"of":[{"words":{"text":"a"}},{"words":{"text":"b c","mode":"and"}}],"tie_breaker":0.5}})"),
            "(a | (+b +c))~0.5");
  EXPECT_EQ(text(R"({"constant":{"of":{"ids":["a","b c"]},"score":1.5}})"), "ids:(a OR \"b c\")^=1.5");
  EXPECT_EQ(text(R"({"bool":{"filter":[{"terms":{"field":"year","values":[1,2]}}]}})"), "#year:(1 OR 2)");
  EXPECT_EQ(text(R"({"weights":{"field":"v","terms":{"a":1.5}}})"), "v:{a^1.5}");
  EXPECT_EQ(text(R"({"none":{}})"), "-*:*");
}

}  // namespace
}  // namespace frond::query
