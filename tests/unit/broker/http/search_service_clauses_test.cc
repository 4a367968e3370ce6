// Queries that are more than plain words: what leaves are asked, what is refused, and what the cache tells apart.
#include <map>
#include <set>
#include <string_view>

#include "broker/http/search/question.h"
#include "common/query/json/clause_json.h"
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using support::Answered;
using support::ScriptedBroker;

class ASearchOfACollectionWithASchema : public testing::Test {
 protected:
  ASearchOfACollectionWithASchema() { serve(wire::kAllFeatures); }
  void serve(std::uint64_t features) {
    auto served = support::served(1, 2, {0, 1});
    served.schema =
        R"({"fields":{"title":{"type":"text","field_search":true,"positions":true},"tag":{"type":"keyword","many":true},"year":{"type":"integer"}},"source":"stored","scorer":"bm25"})";
    auto hello = support::hello({served});
    hello.features = features;
    broker.leaf().hellos.answer(hello);
  }
  // The answer; what was asked is last().
  nlohmann::json ask(const SearchParameters& parameters) {
    Answered answered;
    service.search(parameters, answered.reply());
    broker.play();
    status = answered.status();
    return answered.body();
  }
  const wire::SearchRequest& last() { return broker.leaf().searches.last(); }
  std::size_t asked() { return broker.leaf().searches.asked.size(); }

  ScriptedBroker broker;
  SearchService& service = broker.service;
  int status = 0;
};

SearchParameters asking_clause(std::string_view json) {
  SearchParameters parameters;
  parameters.query = *frond::query::parse_clause(json, "query");
  return parameters;
}

TEST_F(ASearchOfACollectionWithASchema, AsksForPlainWordsAsEver) {
  ask(asking("immune response"));
  EXPECT_FALSE(wire::has_clauses(last()));
  EXPECT_EQ(last().terms.size(), 2u);
  EXPECT_EQ(last().mode, wire::Mode::kAuto);
  auto plain = asking("\"immune response\" -x");
  plain.syntax = frond::query::Syntax::kPlain;
  const auto answer = ask(plain);
  EXPECT_FALSE(wire::has_clauses(last()));
  EXPECT_EQ(last().terms.size(), 3u);
  EXPECT_FALSE(answer.contains("understood") || answer.contains("signs_not_applied"));
}
TEST_F(ASearchOfACollectionWithASchema, SendsWhatDoesNotScoreAsAFilterAndTheRestAsAClause) {
  auto filtered = asking("immune response");
  filtered.filter = "year:2010";
  ask(filtered);
  EXPECT_EQ(last().terms.size(), 2u);
  EXPECT_EQ(last().clause, "");
  EXPECT_EQ(last().filter, R"({"term":{"field":"year","value":2010}})");
  ask(asking("title:\"immune response\""));
  EXPECT_EQ(last().clause, R"({"phrase":{"field":"title","text":"immune response"}})");
  EXPECT_TRUE(last().terms.empty());
  EXPECT_EQ(broker.leaf().fetches.last().terms.size(), 2u) << "for snippets";
  EXPECT_EQ(last().mode, wire::Mode::kOr);
  const auto none = ask(asking("+immune +year:[5 TO 3]"));
  EXPECT_EQ(asked(), 2u) << "nothing can match";
  EXPECT_EQ(none["total"]["value"], 0);
  ask(asking_clause(R"({"bool":{"must":[{"words":{"text":"immune"}}],"must_not":[{"exists":{"field":"tag"}}]}})"));
  EXPECT_EQ(last().terms.size(), 1u);
  EXPECT_EQ(last().filter, R"({"bool":{"must_not":[{"exists":{"field":"tag"}}]}})");
}
TEST_F(ASearchOfACollectionWithASchema, KeepsApartInTheCacheWhatDiffersAndOnlyThat) {
  auto filtered = asking("immune"), exact = asking("immune"), columns = asking("immune");
  filtered.filter = "year:2010";
  exact.exact_total = true;
  columns.columns = {"year"};
  const SearchParameters all[] = {asking("immune"),       filtered,          exact,          columns,
                                  asking("title:immune"), asking("-immune"), asking("tag:x")};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    EXPECT_EQ(ask(all[i])["cache"], "miss") << i;
    EXPECT_EQ(asked(), i + 1);
  }
  EXPECT_TRUE(broker.leaf().searches.asked[2].request.exact_total);
  EXPECT_EQ(broker.leaf().searches.asked[3].request.show.columns, columns.columns);
  for (const auto& parameters : all) EXPECT_EQ(ask(parameters)["cache"], "hit");
  // Said differently.
  EXPECT_EQ(ask(asking_clause(R"({"term":{"field":"tag","value":"x"}})"))["cache"], "hit");
  EXPECT_EQ(ask(asking("+immune"))["cache"], "miss") << "mode and, where the first one is auto";
  auto strict = filtered;
  strict.syntax = frond::query::Syntax::kStrict;
  strict.filter = "(year:2010)";
  EXPECT_EQ(ask(strict)["cache"], "hit");
  EXPECT_EQ(asked(), std::size(all) + 1);
}
// Each parameter of the API is in one of the lists: whoever adds one says whether the key of the cache needs it.
TEST_F(ASearchOfACollectionWithASchema, HasWhatChangesAnswersInTheKeyOfTheCache) {
  const std::map<std::string_view, const char*> changes_answers = {
      {"q", "immune"},     {"filter", "year:2010"}, {"minimum_should_match", "2"},
      {"k", "11"},         {"offset", "1"},         {"mode", "or"},
      {"rank", "none"},    {"k1", "1.25"},          {"b", "0.25"},
      {"count", "true"},   {"processor", "cpu"},    {"explain", "true"},
      {"total", "exact"},  {"fields", "id"},        {"sort", "year"},
      {"facets", "tag:3"}, {"prior_weight", "2"},   {"did_you_mean", "true"}};
  const std::map<std::string_view, const char*> does_not = {
      {"syntax", "strict"}, {"timeout_ms", "4000"}, {"allow_partial", "false"}};
  const std::set<std::string_view> elsewhere = {
      "query", "search_after",  // KeepsApartInTheCacheWhatDiffersAndOnlyThat, and the tests of cursors
      "cache", "profile"};      // with these the cache is not asked
  EXPECT_EQ(std::size(kParameters), changes_answers.size() + does_not.size() + elsewhere.size());
  // With these a page goes on where another one ended; an order by score needs what scores are made of.
  const std::set<std::string_view> same_ranking = {"k",     "offset",  "rank",   "count",  "processor",
                                                   "total", "explain", "fields", "facets", "did_you_mean"};
  auto ordered = asking("immune response");
  ordered.sort = *frond::query::parse_sort("_score,year");
  const auto ranking = ranking_of(ordered, "c");
  ask(asking("immune response"));
  for (const auto& parameter : kParameters) {
    SCOPED_TRACE(parameter.name);
    if (elsewhere.contains(parameter.name)) continue;
    const bool changes = changes_answers.contains(parameter.name);
    ASSERT_TRUE(changes || does_not.contains(parameter.name));
    auto parameters = asking("immune response");
    ASSERT_EQ(store(parameter, (changes ? changes_answers : does_not).at(parameter.name), parameters), std::nullopt);
    auto other = ordered;
    ASSERT_EQ(store(parameter, (changes ? changes_answers : does_not).at(parameter.name), other), std::nullopt);
    EXPECT_TRUE(!changes || (ranking_of(other, "c") == ranking) == same_ranking.contains(parameter.name));
    const auto before = asked();
    Answered answered;
    service.search(parameters, answered.reply());
    EXPECT_EQ(asked(), before + (changes ? 1 : 0));
    broker.play();
  }
}
TEST_F(ASearchOfACollectionWithASchema, SaysWhatWasUnderstood) {
  auto explained = asking("+immune -tag:x");
  EXPECT_FALSE(ask(explained).contains("understood"));
  explained.explain = true;
  EXPECT_EQ(ask(explained)["understood"], "+immune -tag:x");
  const auto noted = ask(asking("yaer:2010 immune"));
  EXPECT_EQ(noted["signs_not_applied"].size(), 1u);
  EXPECT_EQ(noted["signs_not_applied"][0]["nearest"], "year:2010");
  EXPECT_EQ(noted["signs_not_applied"][0]["position"], 0);
}
TEST_F(ASearchOfACollectionWithASchema, RefusesWhatDoesNotFitIt) {
  const auto refused = [&](const SearchParameters& parameters, const char* parameter, std::string_view why) {
    const auto problem = ask(parameters);
    EXPECT_EQ(status, 400);
    EXPECT_EQ(problem["parameter"], parameter);
    EXPECT_NE(problem["detail"].get<std::string>().find(why), std::string::npos) << problem;
    return problem;
  };
  auto strict = asking("immune yaer:2010");
  strict.syntax = frond::query::Syntax::kStrict;
  EXPECT_EQ(refused(strict, "q", "year:2010")["position"], 7);
  auto filter = asking("immune");
  filter.filter_clause = *frond::query::parse_clause(R"({"term":{"field":"yaer","value":1}})", "filter");
  refused(filter, "filter", "filter.term: field 'yaer' is not in the schema; the nearest names are year");
  refused(asking_clause(R"({"range":{"field":"title","gte":1}})"), "query", "query.range");
  refused(asking_clause(R"({"prefix":{"value":"a"}})"), "query", "min_prefix");
  auto fields = asking("immune");
  fields.columns = {"yaer"};
  refused(fields, "fields", "nearest names are year");
  EXPECT_EQ(asked(), 0u);
}
TEST_F(ASearchOfACollectionWithASchema, PassesOnALeafsRefusalOfTheQuery) {
  for (int i = 0; i < 2; ++i) {
    Answered answered;
    service.search(asking("imm*"), answered.reply());
    broker.leaf().searches.answer(Error(Code::kInvalid, "the prefix 'imm' stands for more than 1024 terms"));
    EXPECT_EQ(answered.status(), 400);
    EXPECT_EQ(answered.body()["parameter"], "q");
    EXPECT_NE(answered.body()["detail"].get<std::string>().find("'imm'"), std::string::npos);
    EXPECT_EQ(asked(), i + 1u) << "no answer for the cache, and no other leaf is asked";
  }
  EXPECT_TRUE(broker.cluster.map.leaves()[0]->healthy);
}
TEST_F(ASearchOfACollectionWithASchema, ShowsColumnsAsMembersOfHits) {
  auto parameters = asking("immune");
  parameters.columns = {"tag", "year"};
  Answered answered;
  service.search(parameters, answered.reply());
  broker.leaf().searches.answer(support::found({{0, 9}}));
  EXPECT_EQ(broker.leaf().fetches.last().columns, parameters.columns);
  wire::FetchReply reply;
  reply.documents.push_back({.ordinal = 0, .found = true, .id = "a", .columns = R"({"tag":["x"],"year":2010})"});
  broker.leaf().fetches.answer(reply);
  const auto hit = answered.body()["hits"][0];
  EXPECT_EQ(hit["tag"].dump(), R"(["x"])");
  EXPECT_EQ(hit["year"], 2010);
}
TEST_F(ASearchOfACollectionWithASchema, AsksNoLeafThatIsTooOld) {
  broker.cluster.advance(std::chrono::milliseconds(500));
  serve(wire::kAllFeatures & ~wire::kFeatureClauses);
  auto exact = asking("immune");
  exact.exact_total = true;
  for (const auto& parameters : {asking("-immune"), asking("title:immune"), exact}) {
    const auto problem = ask(parameters);
    EXPECT_EQ(status, 503);
    EXPECT_NE(problem["detail"].get<std::string>().find("older version"), std::string::npos) << problem;
  }
  EXPECT_EQ(asked(), 0u);
  ask(asking("immune"));
  EXPECT_EQ(status, 200);
  exact.rank = wire::Rank::kNone;
  ask(exact);
  EXPECT_EQ(status, 200) << "exact without being asked";
}
TEST_F(ASearchOfACollectionWithASchema, CountsClauses) {
  auto counting = asking_clause(R"({"phrase":{"field":"title","text":"immune response"}})");
  counting.count = true;
  counting.k = 0;
  counting.fields = 0;
  counting.mode = wire::Mode::kAnd;
  counting.rank = wire::Rank::kNone;
  EXPECT_EQ(ask(counting)["count"], 2);
  EXPECT_EQ(last().mode, wire::Mode::kOr);
  EXPECT_EQ(last().depth, 0u);
}
}  // namespace
}  // namespace frond::broker::http
