#pragma once
// Where a broker listens, from what the user typed: "http://host:port", "host:port", "https://[::1]:8443/prefix".
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::tools {

struct BrokerUrl {
  std::string host;    // name or address, without brackets
  std::string port;    // decimal
  std::string prefix;  // path before /v1, without a slash at its end; usually empty
  bool tls = false;
  std::string authority() const;  // "host:port" as a Host header wants it
};

// kInvalid: another scheme, no host, no port number. The port is 80, or 443 under https, where none is given.
Result<BrokerUrl> parse_broker_url(std::string_view text);

// Percent-encodes what may not stand in a query's value.
std::string url_encode(std::string_view text);

}  // namespace frond::tools
