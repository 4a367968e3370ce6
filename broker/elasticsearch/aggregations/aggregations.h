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

#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/elasticsearch/date_format.h"
#include "common/query/facets/facet.h"
#include "common/schema/value.h"

namespace frond::broker::elasticsearch {

// How what was counted is shown.
struct ShownAs {
  std::string format{kUsualDateFormat};  // of dates
  Zone zone = {};
  bool keyed = false;
  std::size_t size = 10;        // of terms
  std::int64_t least = 1;       // of terms: documents of a bucket that is shown
  std::size_t gathered = 10;    // of terms: the first ones, among which those with so many documents are looked for
  bool exactly_ordered = true;  // of terms: by key, or the most frequent first
  // What a node says of terms in other orders once it has as many as it gathers: nothing is known.
  int error_bound(std::size_t terms) const { return exactly_ordered || terms < gathered ? 0 : -1; }
  std::optional<std::set<std::string>> include = {}, exclude = {};  // of terms, as they are written
  std::optional<LuceneRegexp> include_like = {}, exclude_like = {};
  mutable std::size_t pattern_steps = 0;  // that these took, in all buckets of this request
  std::vector<double> percents = {};
  bool by_values = false;                     // percentiles: there are few enough documents to look at each value
  std::optional<schema::Value> missing = {};  // what documents without a value count as
  std::optional<bool> by_count = {};          // the order of intervals and of indices; empty: the usual one
  bool descending = false;
  struct Bounds {
    std::optional<std::int64_t> from, to;  // milliseconds
  };
  Bounds hard = {}, extended = {};
  std::int64_t interval = 0, offset = 0;  // of fixed intervals of time
};

// Of one index of a search: the hits.
struct IndexTotal {
  std::string index;
  std::uint64_t hits = 0;
  bool is_known = true;  // false: there may be more, or others than are to be counted
};

// Before a column: the facet that tells how many values its documents have, for all aggregations of one place.
inline const std::string kEach = ">each ";

// One aggregation. Made from its JSON once for each index.
class Aggregation {
 public:
  std::string name, kind;
  Json definition = Json::object();  // for its reader
  ShownAs as = {};
  const MappedField* field = nullptr;  // null: it has none, or the index has no such field
  Json facet = nullptr;                // as query::read_facets() reads it; null: nothing has to be counted
  bool repeats = false;                // whether it counts a value that a document has twice, which columns have once
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
  // Whether some document may have a value twice that this counts, because it has several.
  bool has_repeats(const Json& facets) const;
  // Of terms of the field _index, which no index has to count.
  bool of_index() const {
    const auto named = definition.find("field");
    return kind == "terms" && named != definition.end() && *named == "_index";
  }
  Expected<Json> shown_by_index(const std::vector<IndexTotal>& totals) const;
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
// 501: the patterns of include and exclude would take more than kMaxPatternSteps.
Expected<void> check_patterns(const ShownAs& as, const std::vector<Json>& buckets);
// Leaves of the buckets of terms, in their order, those that are shown. Elasticsearch's shard sends the first
// `as.gathered`, whatever they count, and of these the first `as.size` with `as.least` documents are shown. Returns how
// many documents the others have that [sum_other_doc_count] counts. `count`: the member with a bucket's number.
std::uint64_t shown_terms(const ShownAs& as, std::vector<Json>& buckets, const char* count);
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
// "aggregations": by name. `totals`: of each index, for terms of [_index].
Expected<Json> aggregations_json(const std::vector<Aggregation>& aggregations, const Json& facets, bool typed_keys,
                                 const std::vector<IndexTotal>& totals = {});

}  // namespace frond::broker::elasticsearch
