#pragma once
// One HTTP request and its answer, over libcurl. The only file that knows libcurl is transport.cc.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/objects/signature.h"

namespace frond::objects {

struct HttpRequest {
  std::string method, url;  // the path and query of the URL are encoded
  Fields headers;           // Host included
  ByteView body;            // borrowed
};

struct HttpLimits {
  std::chrono::milliseconds connect{5'000};
  std::uint64_t min_bytes_per_second = 0;  // 0: no minimum
  std::chrono::seconds window{20};
  std::chrono::milliseconds time{0};  // of the whole request; 0: no limit
  std::size_t max_body = 0;           // of the answer
};

struct HttpAnswer {
  unsigned status = 0;
  ByteBuffer body;
  std::uint64_t sent = 0;  // bytes of the request's body
  // The last header of this name, in lower case; empty: there is none.
  std::string_view header(std::string_view name) const;
  Fields headers;  // names in lower case
  // Why the answer is not whole, if it is not: no connection, too slow, cut short. `status` is 0 if not even a status
  // came. What came of the body is in `body`.
  std::optional<Error> broken;
};

// Any thread. Connections are kept for the next request.
class Transport {
 public:
  // `tls_ca`: a PEM file; empty: the system's authorities.
  explicit Transport(std::string tls_ca);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Redirects are not followed and proxies are not used. `broken` is kDeadline: a limit of time or rate, or `stopping`
  // said so; kUnavailable: no connection, cut short; kInvalid: a certificate that is not trusted, of another host or
  // too old; kCorrupt: not HTTP, or larger than it may be.
  // `room`: memory that the answer's body may use.
  HttpAnswer perform(const HttpRequest& request, const HttpLimits& limits, const std::function<bool()>& stopping,
                     ByteBuffer room = {});

 private:
  struct Pool;
  const std::string tls_ca_;
  const std::unique_ptr<Pool> pool_;
};

}  // namespace frond::objects
