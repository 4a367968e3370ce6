// Any text as an address: what is taken has the parts that common/net/address.h promises, is the same when it is
// written and parsed again, and can't end a line or a field of a request.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/net/address.h"
#include "common/net/local_address.h"

using namespace frond;  // NOLINT(google-build-using-namespace)

namespace {

void check_host(std::string_view host) {
  const bool v6 = host.find(':') != std::string_view::npos;
  FROND_CHECK(v6 ? net::is_ipv6(host) : host.size() <= 255);
  for (const char c : host)
    FROND_CHECK(static_cast<unsigned char>(c) > ' ' && c != 0x7f && std::string_view("/?#@[]").find(c) == host.npos);
}

void check_address(std::string_view text) {
  const auto address = net::parse_host_port(text);
  const auto endpoint = net::parse_tcp_endpoint("tcp://" + std::string(text));
  FROND_CHECK(address.has_value() == endpoint.has_value());
  if (!address) return;
  check_host(address->host);
  const auto again = net::parse_host_port(net::join(address->host, std::to_string(address->port)));
  FROND_CHECK(again && again->host == address->host && again->port == address->port);
  FROND_CHECK(endpoint->host == address->host && endpoint->port == address->port);
}

void check_local(std::string_view text) {
  for (const std::string_view scheme : {net::kIpcScheme, net::kUnixScheme}) {
    const auto path = net::parse_local_address(std::string(scheme) + std::string(text));
    FROND_CHECK(!path || (*path == text && !text.empty() && text.size() <= 107 && text.find('\0') == text.npos));
  }
}

void check_url(std::string_view text) {
  const auto strict = net::parse_url(text), loose = net::parse_url(text, net::Scheme::kOptional);
  FROND_CHECK(!strict || loose);
  if (!loose) return;
  FROND_CHECK(!loose->host.empty());
  check_host(loose->host);
  FROND_CHECK(loose->path.empty() || (loose->path.front() == '/' && loose->path.back() != '/'));
  for (const char c : loose->path)
    FROND_CHECK(static_cast<unsigned char>(c) > ' ' && c != 0x7f && c != '?' && c != '#');
  const auto again = net::parse_url((loose->tls ? "https://" : "http://") + loose->authority() + loose->path);
  FROND_CHECK(again && again->host == loose->host && again->port == loose->port && again->path == loose->path &&
              again->tls == loose->tls);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_address(text);
  check_local(text);
  check_url(text);
  return 0;
}
