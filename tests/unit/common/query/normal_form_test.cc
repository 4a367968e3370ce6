// The normal form: what it makes of clauses that mean the same.
#include "common/query/normal_form.h"

#include <gtest/gtest.h>

#include "common/query/bind.h"
#include "common/query/clause_json.h"
#include "tests/support/query_schema.h"

namespace frond::query {
namespace {

const std::string kA = R"({"words":{"text":"a","mode":"or"}})", kB = R"({"words":{"text":"b","mode":"or"}})";
const std::string kTag = R"({"term":{"field":"tag","value":"x"}})", kYear = R"({"exists":{"field":"year"}})";
const std::string kAll = R"({"all":{}})", kNone = R"({"none":{}})";

std::string normal(std::string_view json) {
  const auto schema = support::query_schema();
  return cache_key(normal_form(*bind(*parse_clause(json, "query"), schema, "query"), schema));
}
std::string both(const std::string& members) { return R"({"bool":{)" + members + "}}"; }

TEST(NormalForm, MultipliesBoostsAndPutsThemOnLeaves) {
  EXPECT_EQ(normal(R"({"boost":{"of":{"boost":{"of":)" + kA + R"(,"by":2}},"by":1.5}})"),
            R"({"boost":{"of":)" + kA + R"(,"by":3.0}})");
  EXPECT_EQ(normal(R"({"boost":{"of":{"boost":{"of":)" + kA + R"(,"by":2}},"by":0.5}})"), kA);
  EXPECT_EQ(normal(R"({"boost":{"of":)" + both("\"must\":[" + kA + "," + kB + "],\"filter\":[" + kTag + "]") +
                   R"(,"by":2}})"),
            both(R"("must":[{"boost":{"of":)" + kA + R"(,"by":2.0}},{"boost":{"of":)" + kB +
                 R"(,"by":2.0}}],"filter":[)" + kTag + "]"));
  EXPECT_EQ(normal(R"({"boost":{"of":)" + kTag + R"(,"by":2}})"), kTag);
  EXPECT_EQ(normal(R"({"boost":{"of":{"constant":{"of":)" + kA + R"(,"score":3}},"by":2}})"),
            R"({"constant":{"of":)" + kA + R"(,"score":6.0}})");
  EXPECT_EQ(normal(R"({"boost":{"of":)" + kA + R"(,"by":0}})"), both("\"filter\":[" + kA + "]"));
}

TEST(NormalForm, IsFlat) {
  EXPECT_EQ(normal(both("\"must\":[" + both("\"must\":[" + kB + "," + kA + "]") + "]")),
            both("\"must\":[" + kA + "," + kB + "]"));
  EXPECT_EQ(normal(both("\"should\":[" + kA + "," + both("\"should\":[" + kB + "]") + "]")),
            both("\"should\":[" + kA + "," + kB + "]"));
  EXPECT_EQ(normal(both("\"must\":[" + both("\"must_not\":[" + kA + "]") + "," + kB + "]")),
            both("\"must\":[" + kB + "],\"must_not\":[" + kA + "]"));
  EXPECT_EQ(normal(both("\"must\":[" + kA + "]")), kA);
  EXPECT_EQ(normal(both("\"filter\":[" + kTag + "]")), kTag);
  EXPECT_EQ(normal(both("\"must_not\":[" + both("\"must_not\":[" + kA + "]") + "]")), both("\"filter\":[" + kA + "]"));
  EXPECT_EQ(normal(both("\"must_not\":[" + both("\"should\":[" + kA + "," + kB + "]") + "]")),
            both("\"must_not\":[" + kA + "," + kB + "]"));
  // Beside must_not alone, what is optional stays optional.
  EXPECT_EQ(normal(both("\"must\":[" + both("\"must_not\":[" + kA + "]") + "],\"should\":[" + kB + "]")),
            both("\"should\":[" + kB + "],\"must_not\":[" + kA + R"(],"minimum_should_match":0)"));
}

// A text may turn out to be without terms, and is left out then; `all` beside it still matches.
TEST(NormalForm, KeepsAllBesideWhatMayAskForNothing) {
  const std::string filtered = both("\"must\":[" + kA + "],\"filter\":[" + kAll + "]");
  EXPECT_EQ(normal(both("\"must\":[" + kAll + "," + kA + "]")), filtered);
  EXPECT_EQ(normal(both("\"must\":[" + kA + "],\"filter\":[" + kAll + "," + kAll + "]")), filtered);
  EXPECT_EQ(normal(both("\"should\":[" + kAll + "," + kA + "]")),
            both("\"should\":[" + kA + "],\"filter\":[" + kAll + "]"));
  EXPECT_EQ(normal(both("\"must\":[" + kAll + "," + kA + "," + kTag + "]")),
            both("\"must\":[" + kA + "],\"filter\":[" + kTag + "]"));
}

TEST(NormalForm, MakesFiltersOfWhatAddsNoScore) {
  EXPECT_EQ(normal(both("\"must\":[" + kA + "," + kTag + "," + kTag + "]")),
            both("\"must\":[" + kA + "],\"filter\":[" + kTag + "]"));
  EXPECT_EQ(normal(both("\"filter\":[" + both("\"must\":[" + kA + R"(,{"constant":{"of":)" + kTag + "}}]") + "]")),
            both("\"filter\":[" + kTag + "," + kA + "]"));
  EXPECT_EQ(normal(both("\"must\":[" + kA + "],\"should\":[" + kTag + "]")), kA);
  EXPECT_EQ(normal(both(R"("should":[{"term":{"field":"tag","value":"y"}},)" + kTag + "," + kTag + "]")),
            R"({"terms":{"field":"tag","values":["x","y"]}})");
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kYear + "," + kTag + "]}}"), both("\"should\":[" + kYear + "," + kTag + "]"));
}

TEST(NormalForm, LeavesAllAndNoneWhereTheyDecide) {
  EXPECT_EQ(normal(both("")), kAll);
  EXPECT_EQ(normal(both("\"must\":[" + kAll + "," + kTag + "]")), kTag);
  EXPECT_EQ(normal(both("\"must\":[" + kNone + "," + kA + "]")), kNone);
  EXPECT_EQ(normal(both("\"should\":[" + kNone + "," + kA + "]")), kA);
  EXPECT_EQ(normal(both("\"must_not\":[" + kAll + "]")), kNone);
  EXPECT_EQ(normal(R"({"terms":{"field":"tag","values":[]}})"), kNone);
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kNone + "]}}"), kNone);
}

TEST(NormalForm, CountsWhatMustMatch) {
  const std::string should = "\"should\":[" + kA + "," + kB + "," + kTag + "]";
  EXPECT_EQ(normal(both(should + R"(,"minimum_should_match":3)")),
            both("\"must\":[" + kA + "," + kB + "],\"filter\":[" + kTag + "]"));
  EXPECT_EQ(normal(both(should + R"(,"minimum_should_match":4)")), kNone);
  EXPECT_EQ(normal(both(should + R"(,"minimum_should_match":"70%")")),
            both("\"should\":[" + kTag + "," + kA + "," + kB + R"(],"minimum_should_match":2)"));
  EXPECT_EQ(normal(both("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")")),
            both("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")"));
  EXPECT_EQ(
      normal(both("\"filter\":[" + both("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")") + "]")),
      both("\"filter\":[" + both("\"should\":[" + kA + "," + kB + "]") + "]"));
}

TEST(NormalForm, KeepsWhatScoresTwice) {
  EXPECT_EQ(normal(both("\"must\":[" + kA + "," + kA + "]")), both("\"must\":[" + kA + "," + kA + "]"));
  EXPECT_EQ(normal(both("\"filter\":[" + kA + "," + kA + "]")), both("\"filter\":[" + kA + "]"));
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kA + "," + kA + "]}}"), kA);
}

TEST(NormalForm, MakesPrefixesOfPatternsThatAreSome) {
  EXPECT_EQ(normal(R"({"wildcard":{"value":"a\\*b**"}})"), R"({"prefix":{"value":"a*b"}})");
  EXPECT_EQ(normal(R"({"wildcard":{"value":"a**b\\c"}})"), R"({"wildcard":{"value":"a*bc"}})");
}

}  // namespace
}  // namespace frond::query
