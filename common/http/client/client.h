#pragma once
// A blocking HTTP/1.1 client: one GET, streamed, of a whole body or from a byte offset. For repositories read over
// HTTP. Any thread.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/net/address.h"
#include "common/tls/certificates.h"

namespace frond::http {

using BodySink = std::function<Result<void>(ByteView piece)>;

// Limits of time and size for one GET.
struct GetLimits {
  std::uint64_t max_bytes = 0;                    // of the whole body, also when only its rest is requested
  std::chrono::milliseconds step_timeout{10000};  // for each of: connecting, the TLS handshake, waiting for bytes
  // The GET ends if the server sends fewer bytes a second (headers included) over a whole `window`. 0: no minimum.
  std::uint64_t min_bytes_per_second = 0;
  std::chrono::milliseconds window{20000};
};

// Which part of a body to request: from byte `from` to the end.
struct Rest {
  std::uint64_t from = 0;
  std::string etag;  // of the body whose front is here already, from its Body; empty: unknown
};

// What the server is about to send.
struct Body {
  std::uint64_t from = 0;  // 0: the whole body, also if a rest was requested from a server without ranges
  std::string etag;        // a strong one; else empty
};

// GETs url.path + `path`: calls `begin` with what comes, then `sink` with the body piece by piece. An error of either
// ends it. kNotFound: 404; kDeadline: a limit of time or rate; kUnavailable: no connection, another status, a body cut
// short, a server that `trust` does not accept; kCorrupt: not HTTP, a body over `max_bytes`, or another range than
// requested. Redirects are not followed. `trust` must not be null for https, and is not used for http.
Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const Rest& rest, const std::function<Result<void>(const Body&)>& begin, const BodySink& sink);
// The whole body.
Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const BodySink& sink);

// One request of any method, and its whole answer.

struct Asked {
  std::string_view method, target;
  std::string fields;  // lines of the header, each with its end, beside Host, User-Agent, Connection, Content-Length
  std::string_view body;
};
struct Answered {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
};
// `limits.max_bytes` is of the answer's body. Ends with kUnavailable as soon as the descriptor `interrupt` is readable.
// Other errors: as get(), which a status is none of.
Result<Answered> exchange(const net::Url& url, const tls::Trust* trust, const Asked& asked, const GetLimits& limits,
                          int interrupt = -1);

// A GET that the server answers when a small resource has changed (RFC 7240's "Prefer: wait", with If-None-Match). A
// server that does not know the preference answers at once.

inline constexpr std::string_view kWaitPreference = "wait=";  // in Prefer, before seconds

struct ChangedGet {
  std::string etag;           // of the body that is known; empty: none is
  std::chrono::seconds wait;  // for a change
  std::chrono::milliseconds step_timeout{10'000};
  int interrupt = -1;  // a descriptor: the GET ends with kUnavailable as soon as it is readable
};

struct Changed {
  std::string etag;
  bool changed = false;  // false: it is what was known
  bool waits = false;    // the server knows the preference
};

// The body is read and dropped. Errors: as http::get(); kCorrupt also: a body of more than 4 KiB. Any thread.
Result<Changed> get_changed(const net::Url& url, const tls::Trust* trust, std::string_view path, const ChangedGet& how);

}  // namespace frond::http
