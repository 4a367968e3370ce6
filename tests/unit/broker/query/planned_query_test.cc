// What leaves are asked, for what people write.
#include "broker/query/planned_query.h"

#include <gtest/gtest.h>

#include "common/query/json/clause_json.h"
#include "common/schema/schema_json.h"

namespace frond::broker::query {
namespace {

const schema::Schema& books() {
  static const auto schema = *schema::parse_schema(R"({"fields":{
    "title":{"type":"text","positions":true,"field_search":true},"body":{"type":"text","positions":true},
    "tag":{"type":"keyword","many":true},"year":{"type":"integer"}}})");
  return schema;
}

std::variant<PlannedQuery, Refusal> planned(const WrittenQuery& written, const schema::Schema& schema = books()) {
  QueryAnalyzer analyzer;
  return plan(written, schema, analyzer, {text::Stemmer::kNone, true}, {});
}
PlannedQuery plan_of(const WrittenQuery& written, const schema::Schema& schema = books()) {
  auto made = planned(written, schema);
  if (const auto* refusal = std::get_if<Refusal>(&made)) ADD_FAILURE() << refusal->detail;
  return std::get<PlannedQuery>(std::move(made));
}
Refusal refusal_of(const WrittenQuery& written) {
  auto made = planned(written);
  if (std::holds_alternative<Refusal>(made)) return std::get<Refusal>(made);
  ADD_FAILURE() << written.q << " is not refused";
  return {};
}
// "red fox" and the mode, or the clause; then the filter.
std::string shown(const PlannedQuery& plan) {
  std::string out;
  for (const auto& term : plan.words.terms)
    out += term.text + (term.occurrences > 1 ? "*" + std::to_string(term.occurrences) : "") + " ";
  out = plan.clause.empty() ? out + std::string(name_of(plan.mode)) : plan.clause;
  return plan.filter.empty() ? out : out + " | " + plan.filter;
}

TEST(PlannedQuery, IsAClauseWithAnOrderOrFacets) {
  const auto order = *frond::query::parse_sort("year");
  const auto facets = *frond::query::parse_facets("year:[2000]");
  EXPECT_FALSE(is_plain({.q = "red", .sort = order}));
  EXPECT_FALSE(is_plain({.q = "red", .facets = facets}));
  const auto sorted = plan_of({.q = "red fox", .sort = order});
  EXPECT_EQ(shown(sorted), R"({"words":{"text":"red fox","mode":"or"}})");
  EXPECT_EQ(sorted.mode, wire::Mode::kOr);
  EXPECT_EQ(sorted.words.terms.size(), 2u) << "for snippets";
  EXPECT_EQ(shown(plan_of({.q = "red fox", .mode = wire::Mode::kAnd, .sort = order})),
            R"({"words":{"text":"red fox","mode":"and"}})");
  const auto counted = plan_of({.q = "red fox", .filter = "tag:x", .facets = facets});
  EXPECT_EQ(counted.mode, wire::Mode::kAuto);
  EXPECT_EQ(counted.filter, "");
  EXPECT_EQ(facets_json(counted.facets), R"({"year":{"ranges":{"field":"year","bounds":[2000]}}})");
  // A word that is there twice scores as it does without an order.
  EXPECT_EQ(shown(plan_of({.q = "+red +red", .sort = order})), R"({"words":{"text":"red red","mode":"and"}})");
  EXPECT_EQ(
      shown(plan_of({.q = "(red OR red) -tag:x", .facets = facets})),
      R"({"bool":{"must":[{"words":{"text":"red red","mode":"or"}}],"must_not":[{"term":{"field":"tag","value":"x"}}]}})");
  EXPECT_EQ(refusal_of({.q = "red", .sort = *frond::query::parse_sort("yaer")}).parameter, "sort");
  EXPECT_EQ(refusal_of({.q = "red", .facets = *frond::query::parse_facets("title")}).parameter, "facets");
}

TEST(PlannedQuery, IsNoneForPlainWords) {
  for (const std::string_view q : {"", "red fox", "don't panic.", "ORACLE ANDROID", "über 日本", "3.5"})
    EXPECT_TRUE(is_plain({.q = q})) << q;
  for (const std::string_view q : {"red -fox", "\"red fox\"", "a OR b", "title:x", "“red fox”", "wor*", "a　OR　b"})
    EXPECT_FALSE(is_plain({.q = q})) << q;
  EXPECT_TRUE(is_plain({.q = "a OR \"b\"", .syntax = frond::query::Syntax::kPlain}));
  EXPECT_FALSE(is_plain({.q = "a", .filter = "b"}));
  EXPECT_FALSE(is_plain({.q = "a", .minimum = frond::query::MinimumMatch{}}));
}

TEST(PlannedQuery, KeepsWordsForTheEnginesOfPlainWordsHoweverTheyAreSaid) {
  const std::tuple<std::string_view, std::string_view, std::string_view> cases[] = {
      {"hard-links", "", "hard links auto"},
      {"+red +fox", "", "fox red and"},
      {"red AND fox", "", "fox red and"},
      {"red OR fox", "", "fox red or"},
      {"(red fox) deer", "", "deer fox red auto"},
      {"red red -fox", "", R"(red*2 auto | {"bool":{"must_not":[{"words":{"text":"fox","mode":"and"}}]}})"},
      {"red fox", "year:2010", R"(fox red auto | {"term":{"field":"year","value":2010}})"},
      {"(red OR fox) AND year:2010", "", R"(fox red or | {"term":{"field":"year","value":2010}})"},
      {"+red -tag:x", "year:>5",
       R"(red and | {"bool":{"must_not":[{"term":{"field":"tag","value":"x"}}],"filter":[{"range":{"field":"year","gte":6}}]}})"},
  };
  for (const auto& [q, filter, want] : cases) EXPECT_EQ(shown(plan_of({.q = q, .filter = filter})), want) << q;
}

TEST(PlannedQuery, AsksForAClauseWhereWordsAreNotAll) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"\"red fox\"", R"({"phrase":{"text":"red fox"}})"},
      {"title:red", R"({"words":{"field":"title","text":"red","mode":"and"}})"},
      {"fox^2", R"({"boost":{"of":{"words":{"text":"fox","mode":"and"}},"by":2.0}})"},
      {"-fox", R"({"bool":{"must_not":[{"words":{"text":"fox","mode":"and"}}]}})"},
  };
  for (const auto& [q, want] : cases) EXPECT_EQ(shown(plan_of({.q = q})), want) << q;
  EXPECT_EQ(plan_of({.q = "red \"red fox\" title:deer"}).mode, wire::Mode::kAuto);
  EXPECT_EQ(plan_of({.q = "\"red fox\""}).mode, wire::Mode::kOr);
  // Stop words ask for nothing, so what stands beside them does.
  EXPECT_EQ(shown(plan_of({.q = "the", .filter = "year:2010"})), R"({"term":{"field":"year","value":2010}})");
  EXPECT_TRUE(plan_of({.q = "red", .filter = "year:[5 TO 3]"}).matches_nothing);
}

TEST(PlannedQuery, KnowsTheWordsForSnippetsAndWhatItCosts) {
  const auto plan = plan_of({.q = "+\"red fox\" title:deer -cat year:2010"});
  std::vector<std::string> words;
  for (const auto& term : plan.words.terms) words.push_back(term.text);
  EXPECT_EQ(words, (std::vector<std::string>{"deer", "fox", "red"}));
  EXPECT_FALSE(plan.costly);
  EXPECT_TRUE(plan_of({.q = "+aa* +bb* +cc* +dd* +ee*"}).costly);
}

TEST(PlannedQuery, HasNotesOfWhatIsTextAndRefusesItInStrictSyntax) {
  const auto plan = plan_of({.q = "yaer:2010 fox", .filter = "\"red"});
  ASSERT_EQ(plan.notes.size(), 2u);
  EXPECT_EQ(plan.notes[0].parameter, "q");
  EXPECT_EQ(plan.notes[0].note.nearest, "year:2010");
  EXPECT_EQ(plan.notes[1].parameter, "filter");
  const auto refusal = refusal_of({.q = "fox yaer:2010", .syntax = frond::query::Syntax::kStrict});
  EXPECT_EQ(refusal.parameter, "q");
  EXPECT_EQ(refusal.position, 4u);
  EXPECT_NE(refusal.detail.find("year:2010"), std::string::npos) << refusal.detail;
}

TEST(PlannedQuery, TellsNothingOfSignsThatAreUsualInText) {
  for (const std::string_view q : {"C++ links", "what is a hard link?", "3*4 cells", "red - fox", "at 12:30",
                                   "example.com:443", "std::vector size", "see http://example.org/a?b=c"})
    EXPECT_TRUE(plan_of({.q = q}).notes.empty()) << q;
  for (const std::string_view q : {"nosuch:cell", "yaer:2010", "l*", "\"red fox", "(red", "red AND", "fox^1000"})
    EXPECT_EQ(plan_of({.q = q}).notes.size(), 1u) << q;
}
TEST(PlannedQuery, WorksOnWordsWithoutASchema) {
  EXPECT_EQ(shown(plan_of({.q = "+red -fox"}, {})),
            R"(red and | {"bool":{"must_not":[{"words":{"text":"fox","mode":"and"}}]}})");
  EXPECT_EQ(shown(plan_of({.q = "foxe*"}, {})), R"({"prefix":{"value":"foxe"}})");
  const auto phrase = plan_of({.q = "\"red fox\""}, {});
  EXPECT_EQ(shown(phrase), "fox red auto");
  EXPECT_EQ(phrase.notes.size(), 1u);
}

const schema::Schema& vectors() {
  static const auto schema = *schema::parse_schema(
      R"({"fields":{"body":{"type":"text"},"lang":{"type":"keyword"},"vec":{"type":"weights"}},"scorer":"impact"})");
  return schema;
}

TEST(PlannedQuery, OfImpactsIsTokensAsTheyAreEachWithWeightOne) {
  const std::tuple<std::string_view, wire::Mode, std::string_view> cases[] = {
      {"the ##ing", wire::Mode::kAuto, R"({"weights":{"field":"vec","terms":{"##ing":1.0,"the":1.0}}})"},
      {" the\tThe\r\n the ", wire::Mode::kOr, R"({"weights":{"field":"vec","terms":{"The":1.0,"the":2.0}}})"},
      {"-red +fox \"a OR b\" lang:en wor* naïve", wire::Mode::kOr,
       R"({"weights":{"field":"vec","terms":{"\"a":1.0,"+fox":1.0,"-red":1.0,"OR":1.0,"b\"":1.0,"lang:en":1.0,"naïve":1.0,"wor*":1.0}}})"},
      {"日　本", wire::Mode::kOr, R"({"weights":{"field":"vec","terms":{"日　本":1.0}}})"},  // no white space of ASCII
      {"b a", wire::Mode::kAnd,
       R"({"bool":{"must":[{"weights":{"field":"vec","terms":{"a":1.0}}},{"weights":{"field":"vec","terms":{"b":1.0}}}]}})"},
      {"a", wire::Mode::kAnd, R"({"weights":{"field":"vec","terms":{"a":1.0}}})"},
  };
  for (const auto& [q, mode, want] : cases) {
    const auto plan = plan_of({.q = q, .mode = mode}, vectors());
    EXPECT_EQ(shown(plan), want) << q;
    EXPECT_EQ(plan.mode, wire::Mode::kOr) << q;
    EXPECT_TRUE(plan.notes.empty()) << q;
  }
  EXPECT_EQ(shown(plan_of({.q = " \n"}, vectors())), R"({"none":{}})");
}

TEST(PlannedQuery, OfImpactsKeepsItsFilterApart) {
  EXPECT_EQ(shown(plan_of({.q = "a", .filter = "lang:en"}, vectors())),
            R"({"weights":{"field":"vec","terms":{"a":1.0}}} | {"term":{"field":"lang","value":"en"}})");
  const auto weights = *frond::query::parse_clause(R"({"bool":{"must":[{"weights":{"field":"vec","terms":{"a":0.5}}}],)"
                                                   R"("filter":[{"term":{"field":"lang","value":"en"}}]}})",
                                                   "query");
  EXPECT_EQ(shown(plan_of({.clause = &weights}, vectors())),
            R"({"weights":{"field":"vec","terms":{"a":0.5}}} | {"term":{"field":"lang","value":"en"}})");
}

TEST(PlannedQuery, OfImpactsRefusesWhatIsNoUtf8AndFiltersOfWords) {
  const auto refused = [](const WrittenQuery& written) {
    auto made = planned(written, vectors());
    return std::holds_alternative<Refusal>(made) ? std::get<Refusal>(made).detail : "not refused";
  };
  EXPECT_EQ(refused({.q = "a\xff"}), "q is not valid UTF-8");
  EXPECT_NE(refused({.q = "a", .filter = "word"}).find("only a weights clause can search"), std::string::npos);
}

TEST(PlannedQuery, RefusesClausesThatDoNotFitTheSchemaOrTheLimits) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"term":{"field":"yaer","value":1}})", "year"},
      {R"({"range":{"field":"title","gte":1}})", "query.range"},
      {R"({"wildcard":{"field":"title","value":"*x"}})", "min_prefix"},
  };
  for (const auto& [json, why] : cases) {
    const auto clause = *frond::query::parse_clause(json, "query");
    const auto refusal = refusal_of({.clause = &clause});
    EXPECT_EQ(refusal.parameter, "query");
    EXPECT_NE(refusal.detail.find(why), std::string::npos) << refusal.detail;
  }
}

TEST(PlannedQuery, IsRefusedBeforeALargeTreeTakesTime) {
  std::string json = R"({"all":{}})";
  for (int i = 0; i < 100; ++i) json = R"({"bool":{"must":[)" + json + "]}}";
  const auto deep = *frond::query::parse_clause(json, "query");
  EXPECT_NE(refusal_of({.clause = &deep}).detail.find("max_depth"), std::string::npos);
  json = R"({"all":{}})";
  for (int i = 0; i < 20; ++i) json = R"({"bool":{"must":[)" + json + "]}}";
  const auto flat = *frond::query::parse_clause(json, "query");
  EXPECT_EQ(shown(plan_of({.clause = &flat})), R"({"all":{}})");
}
TEST(PlannedQuery, OfACountHasNothingThatIsAuto) {
  const auto clause = *frond::query::parse_clause(R"({"words":{"text":"red fox","mode":"auto"}})", "query");
  EXPECT_EQ(shown(plan_of({.clause = &clause, .scored = false})), "fox red or");
}

}  // namespace
}  // namespace frond::broker::query
