// The normal form: what it makes of clauses that mean the same.
#include "common/query/normal_form.h"

#include <gtest/gtest.h>

#include "common/query/asked.h"
#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
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
std::string combined(const std::string& members) { return R"({"bool":{)" + members + "}}"; }

TEST(NormalForm, MultipliesBoostsAndPutsThemOnLeaves) {
  EXPECT_EQ(normal(R"({"boost":{"of":{"boost":{"of":)" + kA + R"(,"by":2}},"by":1.5}})"),
            R"({"boost":{"of":)" + kA + R"(,"by":3.0}})");
  EXPECT_EQ(normal(R"({"boost":{"of":{"boost":{"of":)" + kA + R"(,"by":2}},"by":0.5}})"), kA);
  EXPECT_EQ(normal(R"({"boost":{"of":)" + combined("\"must\":[" + kA + "," + kB + "],\"filter\":[" + kTag + "]") +
                   R"(,"by":2}})"),
            combined(R"("must":[{"boost":{"of":)" + kA + R"(,"by":2.0}},{"boost":{"of":)" + kB +
                     R"(,"by":2.0}}],"filter":[)" + kTag + "]"));
  EXPECT_EQ(normal(R"({"boost":{"of":)" + kTag + R"(,"by":2}})"), kTag);
  EXPECT_EQ(normal(R"({"boost":{"of":{"constant":{"of":)" + kA + R"(,"score":3}},"by":2}})"),
            R"({"constant":{"of":)" + kA + R"(,"score":6.0}})");
  EXPECT_EQ(normal(R"({"boost":{"of":)" + kA + R"(,"by":0}})"), combined("\"filter\":[" + kA + "]"));
}

TEST(NormalForm, IsFlat) {
  EXPECT_EQ(normal(combined("\"must\":[" + combined("\"must\":[" + kB + "," + kA + "]") + "]")),
            combined("\"must\":[" + kA + "," + kB + "]"));
  EXPECT_EQ(normal(combined("\"should\":[" + kA + "," + combined("\"should\":[" + kB + "]") + "]")),
            combined("\"should\":[" + kA + "," + kB + "]"));
  EXPECT_EQ(normal(combined("\"must\":[" + combined("\"must_not\":[" + kA + "]") + "," + kB + "]")),
            combined("\"must\":[" + kB + "],\"must_not\":[" + kA + "]"));
  EXPECT_EQ(normal(combined("\"must\":[" + kA + "]")), kA);
  EXPECT_EQ(normal(combined("\"filter\":[" + kTag + "]")), kTag);
  EXPECT_EQ(normal(combined("\"must_not\":[" + combined("\"must_not\":[" + kA + "]") + "]")),
            combined("\"filter\":[" + kA + "]"));
  EXPECT_EQ(normal(combined("\"must_not\":[" + combined("\"should\":[" + kA + "," + kB + "]") + "]")),
            combined("\"must_not\":[" + kA + "," + kB + "]"));
  // Beside must_not alone, what is optional stays optional.
  EXPECT_EQ(normal(combined("\"must\":[" + combined("\"must_not\":[" + kA + "]") + "],\"should\":[" + kB + "]")),
            combined("\"should\":[" + kB + "],\"must_not\":[" + kA + R"(],"minimum_should_match":0)"));
}

TEST(Asked, KeepsABegunWordThatLooksLikeAStopWordAndNoLettersThatAreLeftOut) {
  text::Analyzer analyzer{{text::Stemmer::kNone, text::StopWords(true), text::AnalyzerKind::kStandard3}};
  const auto is_asked = [&](std::string text, bool prefix) {
    return asked({Phrase{"", std::move(text), 0, prefix}},
                 [&](const std::string&) -> text::Analyzer& { return analyzer; })
        .has_value();
  };
  EXPECT_TRUE(is_asked("the", true));
  EXPECT_FALSE(is_asked("the", false));
  EXPECT_FALSE(is_asked("\u3164\u3164", true)) << "Hangul fillers";
  EXPECT_TRUE(is_asked("\u3164 fox", false));
}

TEST(NormalForm, HasNoAllBesideWhatIsRequired) {
  EXPECT_EQ(normal(combined("\"must\":[" + kAll + "," + kA + "]")), kA);
  EXPECT_EQ(normal(combined("\"must\":[" + kA + "],\"filter\":[" + kAll + "," + kAll + "]")), kA);
  EXPECT_EQ(normal(combined("\"should\":[" + kAll + "," + kA + "]")),
            combined("\"should\":[" + kA + R"(],"minimum_should_match":0)"));
  EXPECT_EQ(normal(combined("\"must\":[" + kAll + "," + kA + "," + kTag + "]")),
            combined("\"must\":[" + kA + "],\"filter\":[" + kTag + "]"));
}

TEST(NormalForm, MakesFiltersOfWhatAddsNoScore) {
  EXPECT_EQ(normal(combined("\"must\":[" + kA + "," + kTag + "," + kTag + "]")),
            combined("\"must\":[" + kA + "],\"filter\":[" + kTag + "]"));
  EXPECT_EQ(
      normal(combined("\"filter\":[" + combined("\"must\":[" + kA + R"(,{"constant":{"of":)" + kTag + "}}]") + "]")),
      combined("\"filter\":[" + kTag + "," + kA + "]"));
  EXPECT_EQ(normal(combined("\"must\":[" + kA + "],\"should\":[" + kTag + "]")), kA);
  EXPECT_EQ(normal(combined(R"("should":[{"term":{"field":"tag","value":"y"}},)" + kTag + "," + kTag + "]")),
            R"({"terms":{"field":"tag","values":["x","y"]}})");
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kYear + "," + kTag + "]}}"),
            combined("\"should\":[" + kYear + "," + kTag + "]"));
}

TEST(NormalForm, LeavesAllAndNoneWhereTheyDecide) {
  EXPECT_EQ(normal(combined("")), kAll);
  EXPECT_EQ(normal(combined("\"must\":[" + kAll + "," + kTag + "]")), kTag);
  EXPECT_EQ(normal(combined("\"must\":[" + kNone + "," + kA + "]")), kNone);
  EXPECT_EQ(normal(combined("\"should\":[" + kNone + "," + kA + "]")), kA);
  EXPECT_EQ(normal(combined("\"must_not\":[" + kAll + "]")), kNone);
  EXPECT_EQ(normal(R"({"terms":{"field":"tag","values":[]}})"), kNone);
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kNone + "]}}"), kNone);
}

TEST(NormalForm, CountsWhatMustMatch) {
  const std::string should = "\"should\":[" + kA + "," + kB + "," + kTag + "]";
  EXPECT_EQ(normal(combined(should + R"(,"minimum_should_match":3)")),
            combined("\"must\":[" + kA + "," + kB + "],\"filter\":[" + kTag + "]"));
  EXPECT_EQ(normal(combined(should + R"(,"minimum_should_match":4)")), kNone);
  EXPECT_EQ(normal(combined(should + R"(,"minimum_should_match":"70%")")),
            combined("\"should\":[" + kTag + "," + kA + "," + kB + R"(],"minimum_should_match":2)"));
  EXPECT_EQ(normal(combined("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")")),
            combined("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")"));
  EXPECT_EQ(normal(combined("\"filter\":[" +
                            combined("\"should\":[" + kA + "," + kB + R"(],"minimum_should_match":"auto")") + "]")),
            combined("\"filter\":[" + combined("\"should\":[" + kA + "," + kB + "]") + "]"));
}

TEST(NormalForm, KeepsWhatScoresTwice) {
  EXPECT_EQ(normal(combined("\"must\":[" + kA + "," + kA + "]")), combined("\"must\":[" + kA + "," + kA + "]"));
  EXPECT_EQ(normal(combined("\"filter\":[" + kA + "," + kA + "]")), combined("\"filter\":[" + kA + "]"));
  EXPECT_EQ(normal(R"({"max":{"of":[)" + kA + "," + kA + "]}}"), kA);
}

TEST(NormalForm, MakesPrefixesOfPatternsThatAreSome) {
  EXPECT_EQ(normal(R"({"wildcard":{"value":"a\\*b**"}})"), R"({"prefix":{"value":"a*b"}})");
  EXPECT_EQ(normal(R"({"wildcard":{"value":"a**b\\c"}})"), R"({"wildcard":{"value":"a*bc"}})");
}

}  // namespace
}  // namespace frond::query
