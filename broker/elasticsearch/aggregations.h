#pragma once
// Aggregations as facets of Frond, for one index, and what was counted as Elasticsearch shows it.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/date_format.h"
#include "broker/elasticsearch/lucene_regexp.h"
#include "broker/elasticsearch/query_dsl.h"
#include "common/query/facet.h"
#include "common/schema/value.h"

namespace frond::broker::elasticsearch {

// How what was counted is shown.
struct ShownAs {
  std::string format{kUsualDateFormat};  // of dates
  Zone zone = {};
  bool keyed = false;
  std::size_t size = 10;                                            // of terms
  std::optional<std::set<std::string>> include = {}, exclude = {};  // of terms, as they are written
  std::optional<LuceneRegexp> include_like = {}, exclude_like = {};
  std::vector<double> percents = {};
  std::optional<schema::Value> missing = {};  // what documents without a value count as
  std::optional<bool> by_count = {};          // the order of intervals and of indices; empty: the usual one
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
  // Facets that are counted beside it, by what follows the name: ">missing".
  std::map<std::string, Json> beside = {};
  // Facets that are counted over all documents of the index, likewise.
  std::map<std::string, Json> everywhere = {};
  std::vector<Aggregation> inside = {};
  std::vector<Aggregation> sources = {};  // of composite and multi_terms; what their buckets are of
  // Of ranges: what the clauses of the facet stand for, in their order.
  std::vector<Json> ranges = {};
  Json meta = nullptr;

  // `facets`: the answers of all facets where it is; null: there is no document.
  Expected<Json> shown(const Json& facets, bool typed_keys) const;
  std::string shown_name(bool typed_keys) const;
  // Of terms of the field _index, which no index has to count.
  bool of_index() const {
    const auto named = definition.find("field");
    return kind == "terms" && named != definition.end() && *named == "_index";
  }
  Expected<Json> shown_by_index(std::vector<std::pair<std::string, std::uint64_t>> counts) const;
};

// Milliseconds of a facet's date.
std::int64_t ms_of(const Json& value);
// A metric from the documents of each value: kinds that facets don't count, and all of booleans.
bool is_over_values(const Aggregation& of);
// `least`, `most`: without meaning where the count is 0.
Json extended_stats_json(std::uint64_t count, double least, double most, double sum, double squares, double sigma);
// Adds documents without a value to the buckets of a facet over values or intervals. `missing`: their facet.
Expected<void> add_missing_bucket(const Aggregation& of, const Json& missing, std::vector<Json>& buckets);
Expected<Json> over_values(const Aggregation& of, const Json& facet, std::uint64_t missing);
// The buckets of composite and multi_terms.
Expected<Json> tuples_json(const Aggregation& of, const Json& facets, bool typed_keys);
// What is inside a bucket, which is a facet's.
Expected<void> add_inside(const Aggregation& of, const Json& bucket, bool typed_keys, Json& to);
// A number that a path from inside of a bucket names: "mean", "s.avg", "_count", "p.50"; NaN: there is none.
double number_at(const Json& bucket, std::string_view path);

// The value of a bucket of terms as include and exclude name it.
std::string bucket_text(const Json& value);
// 400: as Elasticsearch says; 501: what Frond doesn't count, by name. `all_match`: the query matches everything.
Expected<std::vector<Aggregation>> read_aggregations(const Json& json, QueryScope& scope, bool all_match);
Json facets_json(const std::vector<Aggregation>& aggregations);
Expected<std::vector<query::Facet>> facets_of(const std::vector<Aggregation>& aggregations);
// Those that are counted over all documents.
Expected<std::vector<query::Facet>> facets_everywhere(const std::vector<Aggregation>& aggregations);
// "aggregations": by name.
Expected<Json> aggregations_json(const std::vector<Aggregation>& aggregations, const Json& facets, bool typed_keys);

}  // namespace frond::broker::elasticsearch
