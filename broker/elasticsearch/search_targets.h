#pragma once
// What a request asks to search, and how it is refused. Internal to this folder.
#include <chrono>
#include <cstdint>
#include <string_view>

#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/routes.h"
#include "broker/elasticsearch/search_job.h"

namespace frond::broker::elasticsearch {

using Clock = std::chrono::steady_clock;
inline std::int64_t ms_since(Clock::time_point begun) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
}

// What Frond lacks is a bad request to clients of searches: Elasticsearch's own refusals of such bodies are, too.
frond::http::Response refusal_of(ApiError error);
Json refusal_json(ApiError error);

Expected<SearchedTargets> targets_of(const Targets& to, std::string_view expression, const ExpressionRules& rules,
                                     const frond::http::ClientId& client);
// Those that the path names.
Expected<SearchedTargets> targets_of(const Targets& to, const Call& call);

struct AskedSearch {
  SearchedTargets targets;
  SearchAsk ask;
};

}  // namespace frond::broker::elasticsearch
