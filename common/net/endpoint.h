#pragma once
// Where a leaf listens and brokers connect: tcp://HOST:PORT, or for processes of one machine ipc://PATH, a Unix domain
// socket whose file has this absolute path. ZeroMQ's syntax.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/address.h"

namespace frond::net {

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // what the system takes

struct Endpoint {
  HostPort tcp;
  std::string path;  // of ipc://; empty: tcp
  bool is_local() const { return !path.empty(); }
};
// Errors are kInvalid and quote the text. Any thread.
Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace frond::net
