#pragma once
// Searches for the hits of buckets (top_hits), once what is counted is known. Pure functions.
#include <vector>

#include "broker/elasticsearch/aggregations/aggregations.h"
#include "broker/elasticsearch/search/search_request.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxBucketSearches = 100;  // of one search
inline constexpr std::size_t kMaxInnerHits = 100;       // from + size of hits inside others

struct BucketSearch {
  Json* place;  // in `shown`: what the hits are to be shown in
  SearchAsk ask;
};
// For each top_hits in `shown`, which holds the aggregations as they were read. 400; 501: a bucket of which documents
// can't be asked for, or too many.
Expected<std::vector<BucketSearch>> bucket_searches(const std::vector<Aggregation>& aggregations, Json& shown,
                                                    const SearchAsk& ask);

// A search for hits inside others: members as those of a search, of documents that match `filters` besides.
Expected<SearchAsk> inner_ask(const Json& definition, const SearchAsk& of, const std::vector<Json>& filters);

}  // namespace frond::broker::elasticsearch
