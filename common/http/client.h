#pragma once
// A small blocking HTTP/1.1 client: one GET, streamed. For repositories read over HTTP. Any thread.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/tls/trust.h"

namespace frond::http {

struct Url {
  std::string host, port, path;  // host without brackets, path without a trailing '/'
  bool tls = false;
  std::string authority() const;  // "host:port", as a Host header wants it
};
// "http://host[:port][/path]", or with https://; kInvalid for anything else.
Result<Url> parse_url(std::string_view url);

using BodySink = std::function<Result<void>(ByteView piece)>;

// GETs url.path + `path`, and gives the body to `sink` piece by piece. `step_timeout` bounds each of resolving,
// connecting, sending and each read. kNotFound: 404; kUnavailable: no connection, a timeout, another status, a body cut
// short, a server that `trust` does not believe; kCorrupt: not HTTP, or a body over `max_bytes`; the sink's error ends
// it. Redirects are not followed. `trust` is not null where the URL's scheme is https, and not used where it is http.
Result<void> get(const Url& url, const tls::Trust* trust, std::string_view path, std::uint64_t max_bytes,
                 std::chrono::seconds step_timeout, const BodySink& sink);

}  // namespace frond::http
