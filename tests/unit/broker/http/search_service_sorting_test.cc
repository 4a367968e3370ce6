// Orders, facets and cursors: what leaves are asked, what the answer has, and what is refused.
#include "broker/http/question.h"
#include "broker/query/cursor.h"
#include "common/query/clause_json.h"
#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {
namespace {
using nlohmann::json;
using support::Answered;

constexpr std::string_view kSchema =
    R"({"fields":{"title":{"type":"text","field_search":true},"tag":{"type":"keyword","many":true},"year":{"type":"integer"},"price":{"type":"float"},"published":{"type":"date"}},"source":"stored","scorer":"bm25"})";

class ASortedSearch : public testing::Test {
 protected:
  ASortedSearch() { serve({1}); }
  void serve(const std::vector<Generation>& generations, std::uint64_t features = wire::kAllFeatures) {
    std::vector<wire::ServedGeneration> all;
    for (const Generation one : generations) {
      all.push_back(support::served(one, 2, {0, 1}));
      all.back().schema = kSchema;
    }
    auto hello = support::hello(all);
    hello.features = features;
    broker.leaf().hellos.answer(hello);
  }
  void serve_next(const std::vector<Generation>& generations, std::uint64_t features = wire::kAllFeatures) {
    broker.cluster.advance(std::chrono::milliseconds(500));
    serve(generations, features);
  }
  static SearchParameters asking_for(std::string_view query_string) {
    auto parsed = parse_search_query(query_string);
    EXPECT_TRUE(parsed.ok) << parsed.error.detail;
    return parsed.parameters;
  }
  // Documents of these ordinals and years, in this order; `matches` in all.
  static wire::SearchReply by_year(const std::vector<std::pair<Ordinal, std::optional<std::int64_t>>>& hits,
                                   std::uint64_t matches) {
    wire::SearchReply reply;
    reply.has_or = true;
    reply.or_ranking.matches = matches;
    for (const auto& [ordinal, year] : hits) {
      reply.or_ranking.hits.push_back({ordinal, 0});
      std::optional<std::uint64_t> key;
      if (year) key = schema::ordering_key(schema::FieldType::kInteger, *year);
      frond::query::SortBytes::add_number({.field = "year"}, key, reply.or_ranking.sort_bytes.emplace_back());
    }
    return reply;
  }
  json ask(const SearchParameters& parameters, std::optional<Result<wire::SearchReply>> reply = {}) {
    Answered answered;
    service.search(parameters, answered.reply());
    if (reply) broker.leaf().searches.answer(*std::move(reply));
    broker.play_fetches();
    // Many buckets are merged in turns.
    for (int turn = 0; !answered.response && turn < 100; ++turn) broker.cluster.advance(std::chrono::microseconds(1));
    status = answered.status();
    return answered.body();
  }
  json ask(std::string_view query_string, std::optional<Result<wire::SearchReply>> reply = {}) {
    return ask(asking_for(query_string), std::move(reply));
  }
  const wire::SearchRequest& last() { return broker.leaf().searches.last(); }
  std::size_t asked() { return broker.leaf().searches.asked.size(); }

  support::ScriptedBroker broker;
  SearchService& service = broker.service;
  int status = 0;
};

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
TEST_F(ASortedSearch, CountsFacets) {
  auto reply = support::found({{7, 9}});
  reply.facets.resize(5);
  reply.facets[0] = {.with_value = 9, .missing = 1, .words = {"a", "b", "c"}, .counts = {2, 5, 2}};
  reply.facets[1] = {.with_value = 4, .keys = {0, 2}, .counts = {1, 3}};
  reply.facets[2] = {
      .with_value = 1, .keys = {schema::ordering_key(schema::FieldType::kDate, std::int64_t{0})}, .counts = {1}};
  reply.facets[3] = {.with_value = 2, .values = 2};
  reply.facets[3].least = schema::ordering_key(schema::FieldType::kInteger, std::int64_t{2});
  reply.facets[3].greatest = schema::ordering_key(schema::FieldType::kInteger, std::int64_t{5});
  reply.facets[3].sum.add_integer(7);
  reply.facets[4] = {.with_value = 2, .words = {"x", "y"}};
  auto parsed = parse_search_json(
      R"({"q":"immune","k":1,"facets":{"t":{"values":{"field":"tag","size":2}},"r":{"ranges":{"field":"year","bounds":[2000,"2010"]}},"d":{"dates":{"field":"published","interval":"year"}},"s":{"stats":{"field":"year"}},"n":{"distinct":{"field":"tag"}}}})");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  const auto answer = ask(parsed.parameters, reply);
  ASSERT_EQ(status, 200) << answer;
  EXPECT_EQ(last().clause, R"({"words":{"text":"immune","mode":"auto"}})");
  EXPECT_TRUE(last().exact_total);
  EXPECT_EQ(answer["facets"]["t"].dump(),
            R"({"buckets":[{"count":5,"value":"b"},{"count":2,"value":"a"}],"missing":1,"other":2})");
  EXPECT_EQ(
      answer["facets"]["r"].dump(),
      R"({"buckets":[{"count":1,"to":2000},{"count":0,"from":2000,"to":2010},{"count":3,"from":2010}],"missing":0})");
  EXPECT_EQ(answer["facets"]["d"].dump(), R"({"buckets":[{"count":1,"from":"1970-01-01T00:00:00Z"}],"missing":0})");
  EXPECT_EQ(answer["facets"]["s"].dump(), R"({"count":2,"max":5,"mean":3.5,"min":2,"sum":7})");
  EXPECT_EQ(answer["facets"]["n"].dump(), R"({"value":2})");
  const auto none = ask("q=the&facets=tag,year:stats");
  EXPECT_EQ(
      none["facets"].dump(),
      R"({"tag":{"buckets":[],"missing":0,"other":0},"year":{"count":0,"max":null,"mean":null,"min":null,"sum":0}})");
}
TEST_F(ASortedSearch, ShowsFacetsInFacets) {
  const auto year = [](std::int64_t number) { return schema::ordering_key(schema::FieldType::kInteger, number); };
  frond::query::FacetCounts years{.with_value = 2, .keys = {year(2000), year(2020)}, .counts = {1, 1}};
  frond::query::FacetCounts percentiles{.with_value = 2, .missing = 1};
  for (const std::int64_t one : {3, 200}) {
    percentiles.keys.push_back(schema::ordering_key(schema::FieldType::kFloat, static_cast<double>(one)));
    percentiles.counts.push_back(1);
  }
  auto reply = support::found({{7, 9}});
  reply.facets.resize(4);
  reply.facets[0] = {.with_value = 3, .words = {"a", "b"}, .counts = {2, 1}, .nested = {years, {.missing = 1}}};
  reply.facets[1] = {
      .with_value = 3, .keys = {1}, .counts = {3}, .nested = {{.with_value = 2, .missing = 1, .values = 4}}};
  reply.facets[2] = {.with_value = 2, .missing = 1, .keys = {0}, .counts = {1}, .nested = {percentiles}};
  reply.facets[2].nested[0] = {.missing = 1};
  reply.facets[3] = percentiles;
  auto parsed = parse_search_json(
      R"({"q":"immune","k":1,"facets":{"t":{"values":{"field":"tag"},"facets":{"y":{"histogram":{"field":"year","interval":10,"min_count":0}}}},)"
      R"("f":{"filters":{"queries":{"old":{"range":{"field":"year","lt":"1950"}},"all":{"all":{}}}},"facets":{"c":{"count":{"field":"tag"}}}},)"
      R"("m":{"missing":{"field":"tag"},"facets":{"p":{"percentiles":{"field":"year","percents":[50]}}}},)"
      R"("p":{"percentiles":{"field":"year","percents":[50,99]}}}})");
  ASSERT_TRUE(parsed.ok) << parsed.error.detail;
  const auto answer = ask(parsed.parameters, reply);
  ASSERT_EQ(status, 200) << answer;
  EXPECT_EQ(
      last().facets.substr(0, 125),
      R"({"t":{"values":{"field":"tag","size":10},"facets":{"y":{"histogram":{"field":"year","interval":10.0,"min_count":0}}}},"f":{"f)");
  EXPECT_EQ(
      answer["facets"]["t"].dump(),
      R"({"buckets":[{"count":2,"facets":{"y":{"buckets":[{"count":1,"from":2000},{"count":0,"from":2010},{"count":1,"from":2020}],"missing":0}},"value":"a"},)"
      R"({"count":1,"facets":{"y":{"buckets":[],"missing":1}},"value":"b"}],"missing":0,"other":0})");
  EXPECT_EQ(
      answer["facets"]["f"].dump(),
      R"({"buckets":[{"count":0,"facets":{"c":{"documents":0,"values":0}},"name":"old"},{"count":3,"facets":{"c":{"documents":2,"values":4}},"name":"all"}]})");
  EXPECT_EQ(answer["facets"]["m"].dump(),
            R"({"count":1,"facets":{"p":{"percentiles":[{"percent":50,"value":null}]}}})");
  EXPECT_EQ(answer["facets"]["p"].dump(), R"({"percentiles":[{"percent":50,"value":3},{"percent":99,"value":200}]})");
}

TEST_F(ASortedSearch, IsCostlyIfItsFacetsHadManyBuckets) {
  const auto costly = [this] { return broker.service.admission().costly(); };
  auto few = support::found({{7, 9}});
  few.facets.resize(1);
  few.facets[0] = {.with_value = 1, .words = {"a"}, .counts = {1}};
  ask("q=immune&k=1&facets=tag", few);
  EXPECT_FALSE(broker.shared.known_costs.has_wide(0, {{.field = "tag"}}));
  auto many = support::found({{7, 9}});
  many.facets.resize(1);
  many.facets[0].with_value = KnownCosts::kManyBuckets + 1;
  for (std::size_t i = 0; i <= KnownCosts::kManyBuckets; ++i) {
    many.facets[0].keys.push_back(i);
    many.facets[0].counts.push_back(1);
  }
  ask("q=immune&k=1&facets=year", many);
  EXPECT_TRUE(broker.shared.known_costs.has_wide(0, {{.field = "tag"}, {.field = "year"}}));
  EXPECT_FALSE(broker.shared.known_costs.has_wide(1, {{.field = "year"}})) << "another collection";
  support::Answered answered;
  broker.service.search(asking_for("q=immune&k=1&facets=year:5"), answered.reply());
  EXPECT_EQ(costly(), 1u);
  broker.service.search(asking_for("q=immune&k=1&facets=tag:5"), answered.reply());
  EXPECT_EQ(costly(), 1u);
}
TEST_F(ASortedSearch, KnowsTheMeanOfASumThatIsTooLarge) {
  auto reply = support::found({{7, 9}});
  auto& counts = reply.facets.emplace_back();
  counts = {.with_value = 3, .values = 3};
  counts.least = schema::ordering_key(schema::FieldType::kFloat, 1e308);
  counts.greatest = schema::ordering_key(schema::FieldType::kFloat, 1.5e308);
  for (const double value : {1e308, 1.25e308, 1.5e308}) counts.sum.add(value);
  const auto answer = ask("q=immune&k=1&facets=price:stats", reply);
  ASSERT_EQ(status, 200) << answer;
  EXPECT_TRUE(answer["facets"]["price"]["sum"].is_null());
  EXPECT_EQ(answer["facets"]["price"]["mean"], 1.25e308);
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
SearchParameters asking_for_facets(const std::string& facets) {
  auto parsed = parse_search_json(R"({"q":"immune","k":1,"facets":)" + facets + "}");
  EXPECT_TRUE(parsed.ok) << parsed.error.detail;
  return parsed.parameters;
}
TEST_F(ASortedSearch, AsksNoLeafForFacetsThatShowTooMuch) {
  const auto detail_of = [&](const std::string& facets) {
    const std::string detail = ask(asking_for_facets(facets))["detail"];
    EXPECT_EQ(status, 400) << facets;
    return detail;
  };
  std::string bounds = "0", ranges = R"({"s":{"stats":{"field":"year"}}})";
  for (int i = 1; i < 1000; ++i) bounds += "," + std::to_string(i);
  for (int i = 0; i < 3; ++i)
    ranges = R"({"r":{"ranges":{"field":"year","bounds":[)" + bounds + R"(]},"facets":)" + ranges + "}}";
  EXPECT_EQ(detail_of(ranges), "facet 'r' shows more than 100000 buckets, empty ones and facets in them included");
  auto nothing = asking_for_facets(ranges);
  nothing.q.clear();
  nothing.query = *frond::query::parse_clause(R"({"none":{}})", "query");
  EXPECT_NE(ask(nothing)["detail"].get<std::string>().find("shows more than"), std::string::npos);
  const std::string zones = R"([[-9223372036854775808,0],[1000,3600000]])";
  EXPECT_EQ(
      detail_of(
          R"({"m":{"missing":{"field":"year"},"facets":{"d":{"dates":{"field":"published","interval":"day","zone":)" +
          zones + "}}}}}"),
      "facet 'd' has a zone without a name");
  EXPECT_EQ(asked(), 0u);
}
TEST_F(ASortedSearch, ShowsFacetsOfBucketsBehindEmptyOnes) {
  const auto year = [](std::int64_t number) { return schema::ordering_key(schema::FieldType::kInteger, number); };
  frond::query::FacetCounts percentiles{.with_value = 100};
  for (int i = 1; i <= 100; ++i) {
    percentiles.keys.push_back(schema::ordering_key(schema::FieldType::kFloat, static_cast<double>(i)));
    percentiles.counts.push_back(1);
  }
  auto reply = support::found({{7, 9}});
  reply.facets.resize(2);
  reply.facets[0] = {.with_value = 5,
                     .keys = {year(0), year(20)},
                     .counts = {2, 3},
                     .nested = {{.with_value = 2, .values = 2}, {.with_value = 3, .values = 4}}};
  reply.facets[1] = percentiles;
  const auto answer = ask(
      asking_for_facets(
          R"({"h":{"histogram":{"field":"year","interval":10,"min_count":0},"facets":{"c":{"count":{"field":"tag"}}}},"p":{"percentiles":{"field":"year","percents":[7,55,100]}}})"),
      reply);
  ASSERT_EQ(status, 200) << answer;
  std::vector<int> documents;
  for (const auto& bucket : answer["facets"]["h"]["buckets"]) documents.push_back(bucket["facets"]["c"]["documents"]);
  EXPECT_EQ(documents, (std::vector{2, 0, 3}));
  std::vector<int> values;
  for (const auto& one : answer["facets"]["p"]["percentiles"]) values.push_back(one["value"]);
  EXPECT_EQ(values, (std::vector{7, 55, 100}));
}
TEST_F(ASortedSearch, NamesTheFacetWithTooManyBuckets) {
  auto reply = support::found({});
  reply.facets.resize(1);
  reply.facets[0].with_value = 1;
  for (int i = 100'000; i <= 200'000; ++i) {
    reply.facets[0].words.push_back(std::to_string(i));
    reply.facets[0].counts.push_back(1);
  }
  for (int i = 0; i < 2; ++i) {
    const auto problem = ask("q=immune&facets=tag", reply);
    EXPECT_EQ(status, 400);
    EXPECT_EQ(problem["parameter"], "facets");
    EXPECT_EQ(problem["detail"], "facet 'tag' has more than 100000 different buckets");
  }
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
