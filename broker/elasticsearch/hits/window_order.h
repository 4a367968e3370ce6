#pragma once
// Hits that are all here, ordered, scored again or told apart by what their documents say. Pure functions.
#include "broker/elasticsearch/search/search_job.h"

namespace frond::broker::elasticsearch {

// By `ask.sort`; sets what hits show of it. REQUIRES: hits have sources. 400; 501: a key that documents don't say.
Expected<void> order_hits(Gathered& all, const SearchAsk& ask);

// Whether `a` comes first of hits of different indices; both at the same place: neither.
bool comes_before(const Hit& a, const Hit& b, const SearchAsk& ask);

// Whether hits can be collapsed by this field; an empty name: they are not. 400: there is none of that name, or it has
// no keywords and no numbers. `mapping`: with fields that no generation has yet, of which no hit has a value.
Expected<void> check_collapse(const Mapping& mapping, const std::string& name);
// What a hit has there; null: nothing. 400: several values.
Expected<Json> collapse_value(const Gathered& in, const Hit& hit, const std::string& field);

struct Rescore {
  std::size_t window = 10;
  Json query;
  double query_weight = 1, rescore_weight = 1;
  std::string mode = "total";

  static Expected<Rescore> read(const Json& json);
  // `again`: empty: the query of the rescore does not match.
  double combined(double first, std::optional<double> again) const;
};

std::int64_t now_ms();  // since 1970

}  // namespace frond::broker::elasticsearch
