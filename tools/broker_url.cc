#include "tools/broker_url.h"

#include <algorithm>
#include <charconv>

namespace frond::tools {
namespace {

Error bad(std::string_view text, std::string_view why) {
  return Error(Code::kInvalid, "broker address '" + std::string(text) + "': " + std::string(why));
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

}  // namespace

std::string BrokerUrl::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + port;
}

Result<BrokerUrl> parse_broker_url(std::string_view text) {
  std::string_view rest = text;
  constexpr std::string_view kPlain = "http://", kTls = "https://";
  BrokerUrl url;
  url.tls = rest.starts_with(kTls);
  if (url.tls || rest.starts_with(kPlain)) {
    rest.remove_prefix(url.tls ? kTls.size() : kPlain.size());
  } else if (rest.find("://") != std::string_view::npos) {
    return bad(text, "only http:// and https:// are spoken");
  }
  const auto slash = std::min(rest.find('/'), rest.size());
  url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  const auto unfit = [](unsigned char c) { return c <= ' ' || c == '?' || c == '#' || c == 0x7f; };
  if (std::any_of(rest.begin(), rest.end(), unfit)) return bad(text, "holds a character that no address has");
  rest = rest.substr(0, slash);
  std::string_view port = url.tls ? "443" : "80";
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return bad(text, "'[' without ']'");
    url.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    if (!rest.empty() && rest.front() != ':') return bad(text, "something other than a port follows ']'");
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const auto colon = rest.find(':');
    url.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) port = rest.substr(colon + 1);
  }
  if (url.host.empty()) return bad(text, "no host");
  if (!is_port(port)) return bad(text, "the port is not a number from 1 to 65535");
  url.port = port;
  return url;
}

std::string url_encode(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace frond::tools
