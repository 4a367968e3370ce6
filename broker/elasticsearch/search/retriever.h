#pragma once
// "retriever" of a search: `rrf` fuses the rankings of several searches by their ranks, `standard` is a search. On one
// thread of the broker.
#include <cstdint>
#include <functional>
#include <vector>

#include "broker/elasticsearch/search/search_job.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxRetrievers = 16;
inline constexpr std::int64_t kMaxRankWindow = 1000;

struct FusedAsk {
  std::vector<SearchAsk> rankings;  // of ids alone; none: `all` is a usual search
  SearchAsk all;                    // of what any of them finds: total, aggregations, which hits are shown
  std::uint32_t constant = 60;
};

// `body` has a member `retriever`. 400; 501: retrievers that need vectors or models, and members that it can't stand
// beside, by name.
Expected<FusedAsk> read_retriever(const Json& body, const Parameters& parameters);
// As run_search().
Abandon run_fused(SearchedTargets targets, FusedAsk ask, std::function<void(Expected<Gathered>)> done);

}  // namespace frond::broker::elasticsearch
