#include "common/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/net/local_address.h"

namespace frond::net {
namespace {

constexpr std::size_t kMaxHostBytes = 255;
constexpr std::string_view kHostPort = "HOST:PORT", kEndpoint = "tcp://HOST:PORT",
                           kUrl = "http[s]://HOST[:PORT][/PATH]";

// In no part of an address, since it would end a line or a field somewhere.
bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }
bool is_in_no_host(char c) { return is_blank(c) || std::string_view("/?#@[]:").find(c) != std::string_view::npos; }

Error invalid(std::string_view text, std::string_view expected, std::string_view why) {
  return Error(Code::kInvalid, "'" + std::string(text) + "' is not " + std::string(expected) + ": " + std::string(why));
}

// What is wrong with a host that is not empty; empty if nothing is.
std::string_view fault_of_host(const Authority& authority) {
  if (authority.bracketed) return is_ipv6(authority.host) ? "" : "only an IPv6 address stands in brackets";
  if (authority.host.size() > kMaxHostBytes) return "the host is longer than 255 bytes";
  if (std::any_of(authority.host.begin(), authority.host.end(), is_in_no_host))
    return "the host has a character that no host has";
  return {};
}

// `text` is what messages quote, and ends in `address`.
Result<HostPort> parse_host_port(std::string_view text, std::string_view address, std::string_view expected) {
  const auto parts = split_authority(address);
  if (!parts) return invalid(text, expected, "an IPv6 address needs brackets, and only a port may follow a host");
  if (!parts->port) return invalid(text, expected, "there is no port");
  const auto port = number_in<std::uint16_t>(*parts->port);
  if (!port) return invalid(text, expected, "the port is not a number from 0 to 65535");
  if (const auto fault = fault_of_host(*parts); !fault.empty()) return invalid(text, expected, fault);
  return HostPort{std::string(parts->host), *port};
}

}  // namespace

bool is_ipv6(std::string_view text) {
  const auto percent = text.find('%');
  if (percent != std::string_view::npos) {
    const std::string_view zone = text.substr(percent + 1);
    if (zone.empty() || zone.size() > kMaxHostBytes || std::any_of(zone.begin(), zone.end(), is_in_no_host))
      return false;
  }
  in6_addr ignored;
  return text.find('\0') == std::string_view::npos &&
         ::inet_pton(AF_INET6, std::string(text.substr(0, percent)).c_str(), &ignored) == 1;
}

std::optional<Authority> split_authority(std::string_view text) {
  Authority parts;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    parts.host = text.substr(1, close - 1);
    parts.bracketed = true;
    text.remove_prefix(close + 1);
  } else {
    parts.host = text.substr(0, text.find(':'));
    text.remove_prefix(parts.host.size());
  }
  if (text.empty()) return parts;
  if (!text.starts_with(':') || text.find(':', 1) != std::string_view::npos) return std::nullopt;
  parts.port = text.substr(1);
  return parts;
}

std::string join(std::string_view host, std::string_view port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return (v6 ? "[" + std::string(host) + "]:" : std::string(host) + ":") + std::string(port);
}

Result<HostPort> parse_host_port(std::string_view text) { return parse_host_port(text, text, kHostPort); }

Result<HostPort> parse_tcp_endpoint(std::string_view text) {
  constexpr std::string_view kScheme = "tcp://";
  if (!text.starts_with(kScheme)) return invalid(text, kEndpoint, "it does not begin with tcp://");
  return parse_host_port(text, text.substr(kScheme.size()), kEndpoint);
}

std::string Url::authority() const { return is_local(host) ? "localhost" : join(host, port); }

Result<Url> parse_url(std::string_view text, Scheme scheme) {
  constexpr std::string_view kPlain = "http://", kTls = "https://";
  std::string_view rest = text;
  const bool tls = rest.starts_with(kTls);
  if (tls || rest.starts_with(kPlain))
    rest.remove_prefix(tls ? kTls.size() : kPlain.size());
  else if (scheme == Scheme::kRequired || rest.find("://") != std::string_view::npos)
    return invalid(text, kUrl, "the scheme is neither http:// nor https://");
  std::string_view path = rest.substr(std::min(rest.find('/'), rest.size()));
  const auto parts = split_authority(rest.substr(0, rest.size() - path.size()));
  if (!parts) return invalid(text, kUrl, "an IPv6 address needs brackets, and only a port may follow a host");
  if (parts->host.empty()) return invalid(text, kUrl, "there is no host");
  if (const auto fault = fault_of_host(*parts); !fault.empty()) return invalid(text, kUrl, fault);
  const std::string_view port = parts->port.value_or(tls ? "443" : "80");
  if (number_in<std::uint16_t>(port).value_or(0) == 0)
    return invalid(text, kUrl, "the port is not a number from 1 to 65535");
  while (path.ends_with('/')) path.remove_suffix(1);
  if (std::any_of(path.begin(), path.end(), [](char c) { return is_blank(c) || c == '?' || c == '#'; }))
    return invalid(text, kUrl, "the path has a space, a control character, a query or a fragment");
  return Url{std::string(parts->host), std::string(port), std::string(path), tls};
}

}  // namespace frond::net
