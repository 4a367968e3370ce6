#pragma once
// GET /v1/documents/{id}: one document as it is stored, whatever queries find.
#include <string>

#include "broker/http/search_service.h"
#include "common/http/router.h"

namespace frond::broker::http {

// 200: {"id","title","url","body","generation"}. 404: no document of the generation has the id. 429: too many costly
// searches and documents at a time. 503, 504: a partition that may have it was not asked, since it has no leaf, or only
// leaves of an older version, or had no time. The service's thread, which outlives the request.
void serve_document(SearchService& service, const std::string& id, frond::http::Responder responder);

}  // namespace frond::broker::http
