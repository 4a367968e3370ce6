// Orders, facets and cursors: what leaves are asked, what the answer has, and what is refused.
#include "broker/http/search/question.h"
#include "broker/query/cursor.h"
#include "common/query/json/clause_json.h"
#include "tests/unit/broker/http/sorted_search_fixture.h"

namespace frond::broker::http {
namespace {

// The cursor names the question in its own words, so an answer that another question was given would have a wrong one.
TEST_F(ASortedSearch, HasItsOwnCursorThoughAnotherQuestionHasItsAnswer) {
  const auto asking = [](const char* clause) {
    auto parameters = asking_for("q=immune&sort=year&k=2");
    parameters.q.clear();
    parameters.query = *frond::query::parse_clause(clause, "query");
    return parameters;
  };
  const SearchParameters one = asking(R"({"bool":{}})"), other = asking(R"({"all":{}})");
  const auto reply = by_year({{7, 1999}, {3, 2001}}, 3);
  const json pages[] = {ask(one, reply), ask(other, reply), ask(one)};
  EXPECT_EQ(pages[1]["cache"], "miss");
  EXPECT_EQ(pages[2]["cache"], "hit");
  for (int i = 0; i < 3; ++i) {
    auto next = i == 1 ? other : one;
    next.search_after = pages[i]["cursor"];
    next.cache = false;
    ask(next, by_year({{9, 2005}}, 3));
    EXPECT_EQ(status, 200);
  }
}

TEST_F(ASortedSearch, AsksForPlainWordsAsAClause) {
  const auto answer = ask("q=immune&sort=year&k=2", by_year({{7, 1999}, {3, std::nullopt}}, 2));
  EXPECT_EQ(status, 200) << answer;
  EXPECT_TRUE(last().terms.empty());
  EXPECT_EQ(last().clause, R"({"words":{"text":"immune","mode":"or"}})");
  EXPECT_EQ(last().mode, wire::Mode::kOr);
  EXPECT_EQ(last().sort, "year:asc:last");
  EXPECT_TRUE(last().exact_total);
  EXPECT_EQ(wire::features_needed(last()), wire::kFeatureClauses | wire::kFeatureSorting);
}
TEST_F(ASortedSearch, ShowsTheValuesOfEachKey) {
  const auto answer = ask("q=immune&sort=year&k=2", by_year({{7, 1999}, {3, std::nullopt}}, 2));
  ASSERT_EQ(status, 200) << answer;
  EXPECT_EQ(answer["hits"][0]["sort"].dump(), "[1999]");
  EXPECT_EQ(answer["hits"][1]["sort"].dump(), "[null]");
  EXPECT_FALSE(answer["hits"][0].contains("score"));
  EXPECT_EQ(answer["total"].dump(), R"({"relation":"eq","value":2})");
  EXPECT_FALSE(answer.contains("cursor")) << "all hits are there";

  wire::SearchReply reply;
  reply.has_or = true;
  reply.or_ranking.matches = 1;
  reply.or_ranking.hits = {{5, 98304}};
  auto& bytes = reply.or_ranking.sort_bytes.emplace_back();
  frond::query::SortBytes::add_number({.field = "published"},
                                      schema::ordering_key(schema::FieldType::kDate, std::int64_t{1500}), bytes);
  frond::query::SortBytes::add_score({.descending = true}, 98304, bytes);
  frond::query::SortBytes::add_order({}, 5, bytes);
  const auto scored = ask("q=immune&sort=published,_score,_order", reply);
  ASSERT_EQ(status, 200) << scored;
  EXPECT_EQ(scored["hits"][0]["sort"].dump(), R"(["1970-01-01T00:00:01.500Z",1.5,5])");
  EXPECT_EQ(scored["hits"][0]["score"], 1.5);
}
TEST_F(ASortedSearch, GoesOnBehindACursorInTheSameGeneration) {
  const auto first = ask("q=immune&sort=year&k=2", by_year({{7, 1999}, {8, 2000}}, 3));
  ASSERT_TRUE(first.contains("cursor")) << first;
  serve_next({1, 2});
  auto next = asking_for("q=immune&sort=year&k=2");
  next.search_after = first["cursor"];
  const auto second = ask(next, by_year({{9, 2000}}, 3));
  EXPECT_EQ(status, 200) << second;
  EXPECT_EQ(last().generation, 1u);
  EXPECT_EQ(last().depth, 3u) << "one more than the page";
  ASSERT_TRUE(last().after);
  EXPECT_EQ(last().after->ordinal, 8u);
  EXPECT_EQ(second["generation"], 1);
  EXPECT_EQ(second["total"]["value"], 3);
  EXPECT_FALSE(second.contains("cursor"));
  EXPECT_EQ(ask(next)["cache"], "hit");
  EXPECT_EQ(ask("q=immune&sort=year&k=2", by_year({{7, 1999}, {8, 2000}}, 3))["generation"], 2);
  // Whoever asks; also when the page is full.
  next.k = 1;
  EXPECT_TRUE(ask(next, by_year({{9, 2000}, {10, 2000}}, 4)).contains("cursor"));
  serve_next({2});
  next.k = 3;
  const auto problem = ask(next);
  EXPECT_EQ(status, 410);
  EXPECT_EQ(problem["parameter"], "search_after");
}
TEST_F(ASortedSearch, AsksToTryAgainWhereAnotherBrokerIsAhead) {
  serve_next({1, 2});
  const auto first = ask("q=immune&sort=year&k=1", by_year({{7, 1999}}, 3));
  serve_next({1});
  auto next = asking_for("q=immune&sort=year&k=1");
  next.search_after = first["cursor"];
  EXPECT_EQ(ask(next)["detail"], "search_after names generation 2, which no leaf that answers has now; try again");
  EXPECT_EQ(status, 503);
}
TEST_F(ASortedSearch, AsksToTryAgainWhileTheLeafWithTheGenerationIsDown) {
  const auto first = ask("q=immune&sort=year&k=1", by_year({{7, 1999}}, 3));
  serve_next({1, 2});
  auto next = asking_for("q=immune&sort=year&k=1");
  next.search_after = first["cursor"];
  broker.cluster.map.report_unavailable(broker.cluster.map.leaves()[0], "down");
  const auto problem = ask(next);
  EXPECT_EQ(status, 503) << problem;
  EXPECT_EQ(problem["parameter"], "search_after");
  serve_next({1, 2});
  EXPECT_EQ(ask(next, by_year({{8, 1999}}, 3))["generation"], 1);
  EXPECT_EQ(status, 200);
  serve_next({2});
  ask(next);
  EXPECT_EQ(status, 410);
}
TEST_F(ASortedSearch, AsksToTryAgainWhereOneLeafHasLeftTheGenerationAndAnotherIsDown) {
  const auto first = ask("q=immune&sort=year&k=1", by_year({{7, 1999}}, 3));
  EXPECT_TRUE(broker.cluster.map.set_leaves({"tcp://0", "tcp://1"}));
  broker.cluster.timers.run_due();
  auto next = asking_for("q=immune&sort=year&k=1");
  next.search_after = first["cursor"];
  ask(next, Result<wire::SearchReply>(Error(Code::kNotFound, "no such generation")));
  EXPECT_EQ(status, 503) << "the other leaf has not said anything yet";
}
TEST_F(ASortedSearch, SaysThatAGenerationIsGoneWhenALeafSaysSo) {
  const auto first = ask("q=immune&sort=year&k=1", by_year({{7, 1999}}, 3));
  auto next = asking_for("q=immune&sort=year&k=1");
  next.search_after = first["cursor"];
  ask(next, Result<wire::SearchReply>(Error(Code::kNotFound, "no such generation")));
  EXPECT_EQ(status, 410);
}
TEST_F(ASortedSearch, RefusesCursorsOfOtherQueriesAndOrdersWhateverTheirGeneration) {
  const std::string cursor = ask("q=immune&sort=year&k=1", by_year({{7, 1999}}, 3))["cursor"];
  for (const Generation served : {1u, 2u, 0u})  // it is served, gone, and not known yet
    for (const char* other :
         {"q=immun&sort=year", "q=immune&sort=year:desc", "q=immune&sort=published", "q=immune&sort=year&filter=tag:x",
          "q=immune&sort=year,_score", "q=immune&sort=year&mode=and", "q=immune&sort=year&syntax=plain",
          "q=immune&sort=year&minimum_should_match=1"}) {
      if (served != 1) serve_next({served});
      auto next = asking_for(other);
      next.search_after = cursor;
      const auto problem = ask(next);
      EXPECT_EQ(status, 400) << other;
      EXPECT_EQ(problem["parameter"], "search_after");
      EXPECT_EQ(problem["detail"], "search_after is the cursor of another query, filter or order");
    }
  auto elsewhere = asking_for("q=immune&sort=year");
  elsewhere.search_after = query::cursor_text({{9, 9}, ranking_of(elsewhere, "other"), {"", 1}});
  ask(elsewhere);
  EXPECT_EQ(status, 400) << "of another collection";
  elsewhere.search_after = query::cursor_text({{9, 9}, ranking_of(elsewhere, "c"), {"", 1}});
  ask(elsewhere);
  EXPECT_EQ(status, 503) << "of this one";
  auto cut = asking_for("q=immune&sort=year");
  cut.search_after = cursor.substr(1);
  EXPECT_EQ(ask(cut)["detail"], "search_after is no cursor of an answer, or not all of it");
  EXPECT_EQ(asked(), 1u);
}

TEST_F(ASortedSearch, KeepsApartInTheCacheWhatDiffers) {
  const char* const all[] = {"q=immune&sort=year", "q=immune&sort=year:desc", "q=immune&sort=year:asc:first"};
  for (std::size_t i = 0; i < std::size(all); ++i) EXPECT_EQ(ask(all[i], by_year({}, 0))["cache"], "miss");
  for (const char* one : all) EXPECT_EQ(ask(one)["cache"], "hit");
  EXPECT_EQ(ask("q=immune&sort=year:asc:last")["cache"], "hit");
  auto counted = support::found({});
  counted.facets.resize(1);
  EXPECT_EQ(ask("q=immune&facets=tag", counted)["cache"], "miss");
  EXPECT_EQ(ask("q=immune&facets=tag:11", counted)["cache"], "miss");
  EXPECT_EQ(ask("q=immune&facets=tag:10")["cache"], "hit");
}
TEST_F(ASortedSearch, RefusesWhatDoesNotFitTheSchema) {
  const auto refused = [&](std::string_view query_string, const char* parameter, std::string_view why) {
    const auto problem = ask(query_string);
    EXPECT_EQ(status, 400) << query_string;
    EXPECT_EQ(problem["parameter"], parameter);
    EXPECT_NE(problem["detail"].get<std::string>().find(why), std::string::npos) << problem;
  };
  refused("q=a&sort=yaer", "sort", "sort: field 'yaer' is not in the schema; the nearest names are year");
  refused("q=a&sort=title", "sort", "only columns");
  refused("q=a&facets=yaer:3", "facets", "facets.yaer: field 'yaer' is not in the schema; the nearest names are year");
  refused("q=a&facets=tag:stats", "facets", "facets.tag: field 'tag' is keyword");
  EXPECT_EQ(asked(), 0u);
}
TEST_F(ASortedSearch, AsksNoLeafThatIsTooOld) {
  serve_next({1}, wire::kAllFeatures & ~wire::kFeatureSorting);
  for (const char* one : {"q=immune&sort=year", "q=immune&facets=tag"}) {
    const auto problem = ask(one);
    EXPECT_EQ(status, 503);
    EXPECT_NE(problem["detail"].get<std::string>().find("neither sorts nor counts facets"), std::string::npos);
  }
  EXPECT_EQ(asked(), 0u);
  serve_next({1}, wire::kAllFeatures & ~wire::kFeatureFacetTrees);
  EXPECT_NE(ask("q=immune&facets=tag:count")["detail"].get<std::string>().find("counts no facets in facets"),
            std::string::npos);
  EXPECT_EQ(status, 503);
}
}  // namespace
}  // namespace frond::broker::http
