// Facets: what leaves are asked, what the answer has, and what is refused.
#include "broker/http/search/question.h"
#include "broker/query/cursor.h"
#include "common/query/json/clause_json.h"
#include "tests/unit/broker/http/sorted_search_fixture.h"

namespace frond::broker::http {
namespace {

SearchParameters asking_for_facets(const std::string& facets) {
  auto parsed = parse_search_json(R"({"q":"immune","k":1,"facets":)" + facets + "}");
  EXPECT_TRUE(parsed.ok) << parsed.error.detail;
  return parsed.parameters;
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

}  // namespace
}  // namespace frond::broker::http
