#pragma once
// A blocking keep-alive connection to a broker, used by `frond search`, `run` and `export-matches`. One thread.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/client/client_stream.h"
#include "common/net/address.h"
#include "tools/client/reply_reader.h"

namespace frond::tools {

// The environment variable with a key, for where there is no file. A flag with the key itself would show it to every
// user of the machine.
inline constexpr const char* kKeyVariable = "FROND_API_KEY";

// "Authorization: Bearer KEY\r\n" with the key in `file`, or in FROND_API_KEY if `file` is empty; empty if there is
// none. kInvalid: what is there is no key; the message does not repeat it. Otherwise errors name the file.
Result<std::string> authorization(const std::string& file);

struct Reply {
  int status = 0;
  std::string body;
  std::uint32_t retry_after_s = 0;  // 0: the broker says nothing
};

class BrokerClient {
 public:
  // `trust`: null for a plain address. `timeout` applies to each step: connecting, sending, receiving. `authorization`:
  // a line of each request's header, with its end; may be empty.
  BrokerClient(net::Url url, std::shared_ptr<const tls::Trust> trust, std::chrono::milliseconds timeout,
               std::string authorization = {})
      : url_(std::move(url)), trust_(std::move(trust)), timeout_(timeout), authorization_(std::move(authorization)) {}
  // `target`: path and query, relative to the URL's prefix. If the broker has closed the idle connection, get()
  // reconnects once. Errors: kUnavailable, naming the address; kDeadline: no whole reply in time; kOverloaded: one over
  // ReplyReader::kMaxBody; kCorrupt: not HTTP.
  Result<Reply> get(std::string_view target);

 private:
  Result<Reply> exchange(const std::string& request);
  Result<Reply> receive();
  net::Url url_;
  std::shared_ptr<const tls::Trust> trust_;
  std::chrono::milliseconds timeout_;
  std::string authorization_;
  http::ClientStream stream_;
  ReplyReader reader_;
};

}  // namespace frond::tools
