#pragma once
// Aggregations as facets of Frond, for one index, and what was counted as Elasticsearch shows it.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/date_format.h"
#include "broker/elasticsearch/query_dsl.h"
#include "common/query/facet.h"

namespace frond::broker::elasticsearch {

// How what was counted is shown.
struct ShownAs {
  std::string format{kUsualDateFormat};  // of dates
  Zone zone = {};
  bool keyed = false;
  std::size_t size = 10;                                            // of terms
  std::optional<std::set<std::string>> include = {}, exclude = {};  // of terms, as they are written
  std::vector<double> percents = {};
  std::optional<bool> by_count = {};  // the order of intervals and of indices; empty: the usual one
  bool descending = false;
  struct Bounds {
    std::optional<std::int64_t> from, to;  // milliseconds
  };
  Bounds hard = {}, extended = {};
  std::int64_t interval = 0, offset = 0;  // of fixed intervals of time
};

// One aggregation. Made from its JSON once for each index.
class Aggregation {
 public:
  std::string name, kind;
  Json definition = Json::object();  // for its reader
  ShownAs as = {};
  const MappedField* field = nullptr;  // null: it has none, or the index has no such field
  Json facet = nullptr;                // as query::read_facets() reads it; null: nothing has to be counted
  std::vector<Aggregation> inside = {};
  // Of ranges: what the clauses of the facet stand for, in their order.
  std::vector<Json> ranges = {};
  Json meta = nullptr;

  // `counted`: the facet's answer; null: there is no document.
  Expected<Json> shown(const Json& counted, bool typed_keys) const;
  std::string shown_name(bool typed_keys) const;
  // Of terms of the field _index, which no index has to count.
  bool of_index() const {
    const auto named = definition.find("field");
    return kind == "terms" && named != definition.end() && *named == "_index";
  }
  Expected<Json> shown_by_index(std::vector<std::pair<std::string, std::uint64_t>> counts) const;
};

// The value of a bucket of terms as include and exclude name it.
std::string bucket_text(const Json& value);
// 400: as Elasticsearch says; 501: what Frond doesn't count, by name. `all_match`: the query matches everything.
Expected<std::vector<Aggregation>> read_aggregations(const Json& json, QueryScope& scope, bool all_match);
Expected<std::vector<query::Facet>> facets_of(const std::vector<Aggregation>& aggregations);
// "aggregations": by name.
Expected<Json> aggregations_json(const std::vector<Aggregation>& aggregations, const Json& facets, bool typed_keys);

}  // namespace frond::broker::elasticsearch
