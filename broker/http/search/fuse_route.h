#pragma once
// POST /v1/fuse: a search whose ranking is fused with a ranked list that the client brings, of an engine of vectors,
// for example.
#include <cstdint>

#include "broker/http/search/search_service.h"
#include "common/http/message.h"

namespace frond::broker::http {

inline constexpr std::uint32_t kMaxWindow = 1000;  // hits of the search, and ids of the list

// The body: {"search": {…}, "ranking": ["id", …], "constant": 60, "window": 100, "k": 10}. Answers 400 where it can't
// be read, else as SearchService::search(). Counts as two requests. Used on the service's thread.
void serve_fused(SearchService& service, frond::http::Request request, frond::http::Responder responder);

}  // namespace frond::broker::http
