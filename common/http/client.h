#pragma once
// A small blocking HTTP/1.1 client: one GET, streamed, whole or from some byte on. For repositories read over HTTP. Any
// thread.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/trust.h"

namespace frond::http {

using BodySink = std::function<Result<void>(ByteView piece)>;

// How long a GET may take and how much it may bring.
struct GetLimits {
  std::uint64_t max_bytes = 0;                    // of the whole body, also where only its rest is asked for
  std::chrono::milliseconds step_timeout{10000};  // for each of: connecting, the TLS handshake, waiting for bytes
  // A server that sends fewer bytes a second than this (headers count), over a whole `window`, is given up. 0: any.
  std::uint64_t min_bytes_per_second = 0;
  std::chrono::milliseconds window{20000};
};

// The rest of a body, of which the front is here already.
struct Rest {
  std::uint64_t from = 0;
  std::string etag;  // of the body that the front is of, as a Body told it; empty: not known
};

// What the server begins to send.
struct Body {
  std::uint64_t from = 0;  // 0: the whole body, also where a rest was asked for and the server gives no ranges
  std::string etag;        // a strong one; else empty
};

// GETs url.path + `path`: tells `begin` what comes, then gives the body to `sink` piece by piece. kNotFound: 404;
// kDeadline: a limit of time or rate; kUnavailable: no connection, another status, a body cut short, a server that
// `trust` does not believe; kCorrupt: not HTTP, a body over `max_bytes`, or another range than was asked for; an error
// of `begin` or `sink` ends it. Redirects are not followed. `trust` is not null where the URL's scheme is https, and
// not used where it is http.
Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const Rest& rest, const std::function<Result<void>(const Body&)>& begin, const BodySink& sink);
// The whole body.
Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const BodySink& sink);

}  // namespace frond::http
