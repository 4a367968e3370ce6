#pragma once
// What a search of the Elasticsearch API asks for, whichever indices it is for: its body and the parameters of its
// address, which come first. Pure functions.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "broker/elasticsearch/suggest/suggest.h"
#include "common/base/ids.h"

namespace frond::broker::elasticsearch {

inline constexpr std::int64_t kMaxWindow = 10'000;  // from + size
inline constexpr std::size_t kMaxRescores = 10;
inline constexpr std::size_t kMaxNames = 300;         // of a list of fields, members or indices
inline constexpr std::uint64_t kUsualTotal = 10'000;  // up to which totals are exact
inline constexpr std::string_view kSearchParameters =
    "q,df,default_operator,analyzer,analyze_wildcard,lenient,from,size,sort,_source,_source_includes,_source_excludes,"
    "stored_fields,docvalue_fields,track_total_hits,track_scores,timeout,terminate_after,version,seq_no_primary_term,"
    "explain,"
    "typed_keys,rest_total_hits_as_int,preference,routing,request_cache,search_type,batched_reduce_size,ccs_minimize_"
    "roundtrips,"
    "max_concurrent_shard_requests,pre_filter_shard_size,allow_partial_search_results,stats,ignore_unavailable,"
    "allow_no_indices,expand_wildcards,ignore_throttled,scroll,suggest_field,suggest_mode,suggest_size,suggest_text";

// Which members of sources are shown.
struct ShownSource {
  bool shown = true;
  std::vector<std::string> includes = {}, excludes = {};
  bool whole() const { return includes.empty() && excludes.empty(); }
};
struct AskedField {
  std::string pattern, format;  // format: empty: the usual one
};
struct AskedSort {
  std::string field;  // also "_score", "_doc"
  bool descending = false, missing_first = false;
  std::optional<std::string> unmapped_type = {};
  std::string mode = {};   // of several values; empty: the usual one
  Json missing = nullptr;  // a value that documents without one have; null: they come first or last
  // Whether collections have no such order, so that the hits are ordered here (search_stages.h).
  bool in_window() const {
    return field == "_id" || !missing.is_null() || (!mode.empty() && mode != (descending ? "max" : "min"));
  }
};

// Where a scroll is in an index.
struct ScrolledIndex {
  std::string cursor = {};  // behind which it goes on
  bool over = false;        // all were
  Json read = nullptr;      // what its query was read as (ReadParts::kept): documents came meanwhile
};
using Scrolled = std::map<std::string, ScrolledIndex>;  // by index

struct SearchAsk {
  Json query = nullptr;  // null: everything
  Json post_filter = nullptr, aggregations = nullptr, highlight = nullptr;
  std::uint32_t from = 0, size = 10;
  std::vector<AskedSort> sort = {};       // empty: by score
  std::optional<Json> search_after = {};  // as many values as `sort` has
  bool totals = true;
  std::uint64_t exact_total = kUsualTotal;  // up to which the total is exact
  ShownSource source = {};
  std::vector<AskedField> fields = {}, docvalue_fields = {};
  std::uint32_t timeout_ms = 0;
  bool partial = true;  // partitions may be lacking
  bool explain = false, total_as_number = false, typed_keys = false;
  bool versions = false, sequence_numbers = false, ids = true;  // what hits show
  bool track_scores = false;                                    // also where something else orders the hits
  std::optional<double> min_score = {};
  // What search_after names, in place of the generations that are searched now; those of indices that it doesn't name
  // are not pinned. Generation 0: nothing was published then.
  std::map<std::string, GenerationId> generations = {};
  bool scrolls = false;     // the answer says where the next page begins
  Scrolled scrolled = {};   // behind the first page: where this one begins, of all indices of the first
  std::int64_t now_ms = 0;  // of date math, since 1970; 0: when the search begins
  // As they came: an object, a list of objects; null: none.
  Json collapse = nullptr, rescore = nullptr;
  std::string collapsed = {};  // of a search for a collapse: its field; empty: none
  std::vector<std::pair<std::string, double>> index_boosts = {};
  std::vector<TermSuggester> suggesters = {};
  std::vector<CompletionSuggester> completions = {};

  bool suggests() const { return !suggesters.empty() || !completions.empty(); }

  bool by_score() const { return sort.empty(); }
  bool sorts_scores() const;
  bool shows_scores() const { return by_score() || sorts_scores() || track_scores; }
  // Whether hits are ordered by what only their documents say.
  bool sorts_in_window() const;
  // Whether it takes more than one search (search_stages.h), whatever the query is.
  bool has_stages() const {
    return min_score || !collapse.is_null() || !rescore.is_null() || track_scores || sorts_in_window();
  }
  // The same with what the query and the aggregations have, and the page.
  bool may_have_stages() const;
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

// `body`: an object. 400; 501: what Frond has not, by name.
Expected<SearchAsk> read_search(Json body, const Parameters& parameters);
// The query of `q`, `df` and so on; null: there is no q.
Expected<Json> query_in(const Parameters& parameters);
Expected<ShownSource> source_filter_in(const Json& json);
ShownSource source_filter_in(const Parameters& parameters);  // _source, _source_includes, _source_excludes

}  // namespace frond::broker::elasticsearch
