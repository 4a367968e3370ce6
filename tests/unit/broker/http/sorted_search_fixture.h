#pragma once
// Searches of a collection that has a schema, with what its leaf answers.
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/broker/http/search_service_fixture.h"

namespace frond::broker::http {

using nlohmann::json;
using support::Answered;

inline constexpr std::string_view kSchema =
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

}  // namespace frond::broker::http
