// Queries of queries.
#include <algorithm>
#include <iterator>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {

using query::Bool;
using query::Clause;

Expected<std::vector<Clause>> QueryReader::all_of(const Json& body, const Context& in) {
  std::vector<Clause> all;
  for (const Json& one : body.is_array() ? body : Json::array({body})) all.push_back(FROND_EXPECT_OK(read(one, in)));
  return all;
}

Expected<Clause> QueryReader::bool_query(const Json& body, const Context& in) {
  FROND_EXPECT_OK(
      check_members(body, "bool", "must,should,must_not,filter,minimum_should_match,adjust_pure_negative,mustNot"));
  Context inside = in;
  inside.boost *= boost_in(body);
  Context unscored = inside;
  unscored.scored = false;
  Bool made;
  const auto members = [&](const char* name, const Context& how, std::vector<Clause>& to) -> Expected<void> {
    if (!body.contains(name)) return {};
    auto read = FROND_EXPECT_OK(all_of(body[name], how));
    std::ranges::move(read, std::back_inserter(to));
    return {};
  };
  FROND_EXPECT_OK(members("must", inside, made.must));
  FROND_EXPECT_OK(members("should", inside, made.should));
  FROND_EXPECT_OK(members("must_not", unscored, made.must_not));
  FROND_EXPECT_OK(members("mustNot", unscored, made.must_not));
  FROND_EXPECT_OK(members("filter", unscored, made.filter));
  const bool excludes_alone = made.must.empty() && made.should.empty() && made.filter.empty();
  if (excludes_alone && made.must_not.empty()) return constant(Clause{query::All()}, inside.boost, in.scored);
  if (excludes_alone && !is_true(body, "adjust_pure_negative", true)) return Clause{query::None()};
  if (!excludes_alone && body.contains("minimum_should_match") && !body["minimum_should_match"].is_null()) {
    const auto needed = FROND_EXPECT_OK(minimum_of(text_in(body["minimum_should_match"]), made.should.size()));
    if (needed > made.should.size()) return Clause{query::None()};
    const bool optional = !made.must.empty() || !made.filter.empty();
    if (needed > 0 || (optional && !made.should.empty()))
      made.minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(needed)};
  }
  return Clause{std::move(made)};
}

Expected<Clause> QueryReader::dis_max(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "dis_max", "queries,tie_breaker"));
  if (!body.contains("queries") || body["queries"].empty())
    return parsing_exception("[dis_max] requires 'queries' field with at least one clause");
  Context inside = in;
  inside.boost *= boost_in(body);
  auto all = FROND_EXPECT_OK(all_of(body["queries"], inside));
  return best(std::move(all), FROND_EXPECT_OK(tie_breaker_in(body, 0)), in.scored);
}

Expected<Clause> QueryReader::constant_score(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "constant_score", "filter"));
  if (!body.contains("filter")) return parsing_exception("[constant_score] requires a 'filter' element");
  if (!body["filter"].is_object()) return parsing_exception("unexpected token [START_ARRAY]");
  Context unscored = in;
  unscored.scored = false;
  auto filter = FROND_EXPECT_OK(read(body["filter"], unscored));
  return constant(std::move(filter), in.boost * boost_in(body), in.scored);
}

// A document of the positive query that is also in the negative one has so much of its score.
Expected<Clause> QueryReader::boosting(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "boosting", "positive,negative,negative_boost"));
  for (const char* const name : {"positive", "negative"})
    if (!body.contains(name))
      return parsing_exception("[boosting] query requires '" + std::string(name) + "' query to be set'");
  if (!body.contains("negative_boost") || !body["negative_boost"].is_number() || body["negative_boost"] < 0)
    return parsing_exception("[boosting] query requires 'negative_boost' to be set to be a positive value'");
  Context inside = in, unscored = in;
  inside.boost *= boost_in(body);
  unscored.scored = false;
  auto positive = FROND_EXPECT_OK(read(body["positive"], inside));
  auto read_negative = read(body["negative"], unscored);
  // Without scores it changes nothing, and has to be a query all the same.
  if (!read_negative && (in.scored || read_negative.error().status == 400)) return std::move(read_negative).error();
  if (!in.scored) return positive;
  Clause negative = *std::move(read_negative);
  Bool without, with, either;
  with.must.push_back(FROND_EXPECT_OK(multiplied(positive, body["negative_boost"])));
  with.filter.push_back(negative);
  without.must.push_back(std::move(positive));
  without.must_not.push_back(std::move(negative));
  either.should.push_back({std::move(without)});
  either.should.push_back({std::move(with)});
  return Clause{std::move(either)};
}

// Weights, of which at most one has a filter, that multiply.
Expected<Clause> QueryReader::function_score(const Json& body, const Context& in) {
  FROND_EXPECT_OK(
      check_members(body, "function_score",
                    "query,functions,weight,filter,score_mode,boost_mode,max_boost,min_score,field_value_factor,"
                    "script_score,random_score,gauss,exp,linear"));
  for (const auto& [key, value] : body.items())
    if (key != "query" && key != "functions" && key != "weight" && key != "boost" &&
        !(key == "boost_mode" && value == "multiply") && !(key == "score_mode" && value == "multiply"))
      return not_supported("[" + key + "] of a function_score query");
  double weight = in.boost * boost_in(body), more = 1;
  Json filter;
  Json functions = body.contains("functions") ? body["functions"] : Json::array();
  if (!functions.is_array())
    return parsing_exception("failed to parse [function_score] query. expected an array of functions");
  if (body.contains("weight")) functions.push_back({{"weight", body["weight"]}});
  for (const Json& one : functions) {
    if (!one.is_object() || !one.contains("weight") || !one["weight"].is_number())
      return not_supported("a function without weight of a function_score query");
    for (const auto& [key, value] : one.items())
      if (key != "weight" && key != "filter") return not_supported("[" + key + "] of a function_score query");
    if (!one.contains("filter")) {
      weight *= one["weight"].get<double>();
    } else {
      if (!filter.is_null()) return not_supported("a function_score query with several filters");
      filter = one["filter"];
      more = one["weight"];
    }
  }
  const Json asked = body.contains("query") ? body["query"] : Json{{"match_all", Json::object()}};
  Context inside = in;
  inside.boost = weight;
  auto other = FROND_EXPECT_OK(read(asked, inside));
  if (filter.is_null() || !in.scored) return other;
  Bool with, without, either;
  with.must.push_back(FROND_EXPECT_OK(multiplied(other, more)));
  inside.scored = false;
  with.filter.push_back(FROND_EXPECT_OK(read(filter, inside)));
  without.must.push_back(std::move(other));
  without.must_not.push_back(with.filter.front());
  either.should.push_back({std::move(with)});
  either.should.push_back({std::move(without)});
  return Clause{std::move(either)};
}

Expected<Clause> QueryReader::match_all(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "match_all", ""));
  return constant(Clause{query::All()}, in.boost * boost_in(body), in.scored);
}
Expected<Clause> QueryReader::match_none(const Json& body, const Context&) {
  FROND_EXPECT_OK(check_members(body, "match_none", ""));
  return Clause{query::None()};
}

}  // namespace frond::broker::elasticsearch
