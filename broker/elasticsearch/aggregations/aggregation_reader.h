#pragma once
// Reads aggregations of one index. Internal to this folder.
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/aggregations/aggregations.h"

namespace frond::broker::elasticsearch {

class AggregationReader {
 public:
  AggregationReader(QueryScope& scope, bool all_match) : scope_(scope), all_match_(all_match) {}

  Expected<std::vector<Aggregation>> read(const Json& json, std::size_t depth);

 private:
  Expected<Aggregation> one(const std::string& name, const Json& body, std::size_t depth);
  Expected<void> fill(Aggregation& made);
  // aggregation_members.cc: sets Aggregation::as, whether the index has the field or not.
  static Expected<void> check_choice(const Aggregation& made);
  static Expected<void> members(Aggregation& made);
  // How many terms Elasticsearch's shard sends, and how many documents those have that are shown.
  static Expected<void> gathered(Aggregation& made);
  Expected<void> bounds(Aggregation& made);
  // Of a field that the index lacks.
  Expected<void> unmapped(Aggregation& made);
  Expected<Json> clause(const Json& json);
  // The clauses are told apart by their numbers, which `ranges` describes.
  static void use(Aggregation& made, const std::vector<Json>& clauses);
  Expected<void> filters(Aggregation& made);
  Expected<void> terms(Aggregation& made);
  // "_count:asc", "price.mean:desc".
  Expected<Json> order(const Json& json, const Aggregation& made);
  Expected<void> counts(Aggregation& made);
  Expected<void> ranges(Aggregation& made);
  Expected<Json> range_clause(const Aggregation& made, Json bounds);
  Expected<void> histogram(Aggregation& made);
  Expected<void> dates(Aggregation& made);
  Expected<void> percentiles(Aggregation& made);
  // Several fields together, as facets in facets (tuple_aggregations.cc).
  Expected<void> tuples(Aggregation& made);
  Expected<Aggregation> tuple_source(const std::string& name, const std::string& kind, Json definition);
  Expected<void> missing(Aggregation& made);
  Expected<void> special_terms(Aggregation& made);
  Expected<void> over_all(Aggregation& made, std::size_t depth);

  QueryScope& scope_;
  const bool all_match_;
};

}  // namespace frond::broker::elasticsearch
