#include "common/http/request_target.h"

#include <algorithm>
#include <array>

#include <boost/beast/core/string.hpp>

namespace frond::http {
namespace {
using boost::beast::iequals;

using Characters = std::array<bool, 256>;

constexpr Characters with(Characters set, std::string_view characters) {
  for (const char c : characters) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr Characters kDigits = with({}, "0123456789");
constexpr Characters kAddressCharacters = with(kDigits, "abcdefABCDEF:.");
// reg-name of RFC 3986: unreserved characters, sub-delims, and the sign of a percent-escape.
constexpr Characters kNameCharacters =
    with(kDigits, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~%!$&'()*+,;=");

bool has_only(std::string_view text, const Characters& set) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return set[static_cast<unsigned char>(c)]; });
}
}  // namespace

bool is_host(std::string_view text) {
  std::size_t end = std::min(text.find(':'), text.size());
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos || end < 3) return false;
    if (!has_only(text.substr(1, end - 1), kAddressCharacters)) return false;
    ++end;
  } else if (!has_only(text.substr(0, end), kNameCharacters)) {
    return false;
  }
  const auto port = text.substr(end);
  return port.empty() || (port.front() == ':' && port.size() <= 6 && has_only(port.substr(1), kDigits));
}

std::string_view split_target(Request& request) {
  std::string_view target = request.target;
  if (target == "*" && request.method == "OPTIONS") {
    request.path = target;
    return {};
  }
  if (target.find('#') != std::string_view::npos) return "a request target with a fragment";
  if (!target.starts_with('/')) {
    const auto scheme = std::min(target.find("://"), target.size());
    if (scheme == target.size()) return "a request target that is not a path";
    const auto name = target.substr(0, scheme);
    if (!iequals(name, "http") && !iequals(name, "https"))
      return "a request target of another scheme than http and https";
    const auto end = std::min(target.find_first_of("/?", scheme + 3), target.size());
    request.host = target.substr(scheme + 3, end - scheme - 3);
    if (request.host.empty() || request.host.front() == ':' || !is_host(request.host))
      return "a request target without a good host";
    target.remove_prefix(end);
  }
  const auto question = std::min(target.find('?'), target.size());
  request.path = question == 0 ? "/" : target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  return {};
}

}  // namespace frond::http
