#pragma once
// Addresses as people write them: HOST:PORT, tcp://HOST:PORT, http[s]://HOST[:PORT][/PATH]. Names are not looked up.
//
// A host is a name or an IPv4 address of at most 255 bytes, without control characters, spaces and "/?#@[]:"; or an
// IPv6 address, which stands in brackets before a port. Ports are decimal numbers up to 65535.
// Errors are kInvalid and quote the text. Any thread.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace frond::net {

struct HostPort {
  std::string host;  // without brackets
  std::uint16_t port = 0;
};
// "host:port", "[v6]:port" or ":port"; the host of the last is empty (any address).
Result<HostPort> parse_host_port(std::string_view text);
// The same behind "tcp://".
Result<HostPort> parse_tcp_endpoint(std::string_view text);

struct Url {
  std::string host, port, path;  // host without brackets or "unix:PATH", path without a slash at its end
  bool tls = false;              // https
  // "host:port" as a Host header wants it; "localhost" for a local socket.
  std::string authority() const;
};
// "http://host[:port][/path]" or https://; with kOptional, also without a scheme, which means http. The port is 1 to
// 65535; without one it is 80, or 443 under https. A query or fragment is an error.
enum class Scheme { kRequired, kOptional };
Result<Url> parse_url(std::string_view text, Scheme scheme = Scheme::kRequired);

// "host:port", with brackets around an IPv6 address.
std::string join(std::string_view host, std::string_view port);

// "host", "host:port", "[v6]" or "[v6]:port", cut into its parts, which may be empty and are not checked; nullopt for
// another shape.
struct Authority {
  std::string_view host;                 // without brackets
  std::optional<std::string_view> port;  // nullopt: there is no ':'
  bool bracketed = false;
};
std::optional<Authority> split_authority(std::string_view text);

// An IPv6 address without brackets; "%zone" may follow it.
bool is_ipv6(std::string_view text);

}  // namespace frond::net
