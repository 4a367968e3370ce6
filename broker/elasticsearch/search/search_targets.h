#pragma once
// What a request asks to search. Internal to this folder.
#include <chrono>
#include <cstdint>
#include <string_view>

#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search/search_job.h"
#include "broker/elasticsearch/search/search_places.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {

using Clock = std::chrono::steady_clock;
inline std::int64_t ms_since(Clock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
}

Parameters query_parameters(const Call& call);  // those that give a query, or belong to it

Expected<SearchedTargets> targets_of(const Targets& to, std::string_view expression, const ExpressionRules& rules,
                                     const frond::http::Asker& asker);
// Those that the path names.
Expected<SearchedTargets> targets_of(const Targets& to, const Call& call);

struct AskedSearch {
  SearchedTargets targets;
  SearchAsk ask;
};

// cursor_routes.cc. 400: what a scroll has not.
Expected<void> check_scroll(const SearchAsk& ask);
// Answers with a page of a scroll. `place`: what its id holds, but for the cursor of the next page.
void send_scrolled(SearchedTargets targets, SearchAsk ask, SearchPlace place, Clock::time_point begun,
                   frond::http::Responder responder);
// A search whose body has "pit"; `place`: what its id holds.
Expected<AskedSearch> asked_point(const Targets& to, const Call& call, Json body, SearchPlace& place);

}  // namespace frond::broker::elasticsearch
