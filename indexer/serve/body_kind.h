#pragma once
// Whether a request's body is what its route takes: lines of JSON (NDJSON).
//
// Content-Type application/x-ndjson and the other names of it are taken, and no Content-Type at all. What HTTP clients
// send where nobody said anything (curl -d: application/x-www-form-urlencoded; fetch(): text/plain; others:
// application/octet-stream) says nothing, so the body has to begin with "{" then. Anything else is another kind.
#include <optional>

#include "common/http/message.h"

namespace frond::indexer::serve {

// nullopt: it may be read as lines. 415: another kind; 400: an array of JSON under the right name.
std::optional<http::Response> other_than_lines(const http::Request& request);

}  // namespace frond::indexer::serve
