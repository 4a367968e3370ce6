#pragma once
// Requests to one server that are sent again where it has no time or no room, or the connection breaks. One thread.
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/client/client.h"
#include "common/net/address.h"

namespace frond::tools {

struct Server {
  net::Url url;                             // its path comes before that of each request
  std::shared_ptr<const tls::Trust> trust;  // null for a plain address
  std::string fields;                       // lines of each request's header, with their ends; may be empty
};

class RetriedRequests {
 public:
  // `what`: in errors, "the index's node". `retried` is told why a request is sent again.
  RetriedRequests(std::string what, Server server, unsigned retries, std::function<void(const std::string&)> retried)
      : what_(std::move(what)), server_(std::move(server)), retries_(retries), retried_(std::move(retried)) {}

  // The answer, whatever its status, unless that may pass (429, 502, 503, 504) and so many attempts were made. `type`:
  // of the body. kAtMostOnce: the server may have done what it was asked and not be able to do it again, so that it is
  // asked again after 429 alone. Errors: kUnavailable, kDeadline; kCorrupt: no HTTP, or an answer of more than
  // kMaxAnswer.
  enum class Repeat : bool { kFreely, kAtMostOnce };
  Result<http::Answered> ask(std::string_view method, std::string_view target, std::string_view body = {},
                             std::string_view type = "application/json", std::string_view fields = {},
                             Repeat repeat = Repeat::kFreely);
  static constexpr std::size_t kMaxAnswer = 64 << 20;

 private:
  const std::string what_;
  const Server server_;
  const unsigned retries_;
  const std::function<void(const std::string&)> retried_;
};

// What an answer says is wrong: of a problem document its detail, of Elasticsearch the reason, else the beginning.
// kInvalid for 4xx, else kUnavailable.
Error refusal_of(const http::Answered& answer);

}  // namespace frond::tools
