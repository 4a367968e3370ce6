#pragma once
// Searches that take several of search_job.h, one after the other, for what no single one answers: functions of scores
// and orders that only the documents say (of at most kMaxWindow matches, which are read here), collapse, rescore,
// min_score, the best score of a sorted search, hits of buckets, which named queries hits match. A generation that is
// published in between is searched by the later ones. On one thread of the broker.
#include "broker/elasticsearch/search/search_job.h"

namespace frond::broker::elasticsearch {

// As run_search(), of any ask.
Abandon run_staged_search(SearchedTargets targets, SearchAsk ask, std::function<void(Expected<Gathered>)> done);

}  // namespace frond::broker::elasticsearch
