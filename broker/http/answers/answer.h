#pragma once
// The result of an evaluation, as the result cache keeps it and all who wait for it are sent it. Pure functions.
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "broker/cache/result_cache.h"
#include "broker/http/answers/answer_json.h"
#include "broker/http/monitoring/broker_metrics.h"
#include "broker/http/search/question.h"
#include "broker/merge/merge.h"
#include "common/http/message.h"

namespace frond::broker::http {

// Ready to be sent and cached.
struct Answer {
  std::string rest;  // the second part of the body (answer_json.h)
  Pieces pieces;     // of it
  Generation generation = 0;
  std::uint32_t partitions_total = 0, partitions_answered = 0;
  bool timed_out = false, all_overloaded = false, outdated = false;  // outdated: a leaf has not the generation any more
  bool lacks_explanations = false;                                   // a leaf had no time or room for some
  std::string refusal = {};                                          // of a leaf, of the query
  // With SearchParameters::cursors: in front of the first hit, then behind each.
  std::vector<std::string> cursors = {};
  std::shared_ptr<merge::CountedFacets> counted = {};  // with SearchParameters::facets_apart
  bool whole() const { return partitions_answered == partitions_total && refusal.empty(); }
  // Nothing is cached that may be better the next time.
  bool may_be_cached() const { return whole() && !lacks_explanations; }
};

cache::CachedAnswer answer_of(const Question& question, const merge::Page& page);
// REQUIRES: `cached` is of answer_of().
const Answer& answer_in(const cache::CachedAnswer& cached);
// A 200 with the answer.
frond::http::Response rendered(std::chrono::microseconds took, CacheUse use, const Answer& answer);

// What searches are answered that have no answer.
// Leaves do not serve the generation of its cursor: 410, or 503 if they may do so later.
// REQUIRES: question.cursor.
std::pair<frond::http::Response, Outcome> without_generation(const Question& question, bool may_come);
// The 499 response for a client that has left. A client that only closed its sending side receives it.
frond::http::Response abandoned();
// The 429 response while too many searches are evaluated.
frond::http::Response overloaded(std::string_view why = "The broker is at its limit; try again soon.");

}  // namespace frond::broker::http
