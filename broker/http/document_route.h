#pragma once
// GET /v1/documents/{id} and GET /v1/documents?id=…: one document as it is stored, whatever queries find.
#include <cstdint>
#include <optional>
#include <string>

#include "broker/http/search_service.h"
#include "common/http/router.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

// Of its body, unless the parameter body_bytes says otherwise, which may be at most wire::kMaxFetchedBodyBytes. A large
// body takes the service's thread, on which searches wait, 10 ms a MiB.
inline constexpr std::uint32_t kDefaultBodyBytes = 1 << 20;

// 200: {"id","title","url","body","truncated","generation"}. 400: names the parameter. 404: no document of the
// generation has the id. 429: too many costly searches and documents of the client wait; one waits until its deadline.
// 503, 504: a partition that may have it was not asked, since it has no leaf, or only leaves of an older version, or
// had no time. `id`: none if the query string has it. The service's thread, which outlives the request.
void serve_document(SearchService& service, std::optional<std::string> id, const frond::http::Request& request,
                    frond::http::Responder responder);

}  // namespace frond::broker::http
