#include "common/http/host_list.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

#include "common/net/address.h"

namespace frond::http {
namespace {

constexpr std::size_t kMaxName = 253;  // bytes of a name (RFC 1035)

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string_view without_dot(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}
bool is_name_char(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}
// In any case equal to `lower_case`.
bool same(std::string_view name, std::string_view lower_case) {
  return std::equal(name.begin(), name.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

}  // namespace

Result<HostList> HostList::parse(std::span<const std::string> names) {
  HostList list;
  for (const std::string& name : names) {
    const std::string_view bare = without_dot(name);
    if (bare.empty() || bare.size() > kMaxName || !std::all_of(bare.begin(), bare.end(), is_name_char))
      return Error(Code::kInvalid,
                   "'" + name.substr(0, kMaxName) + "' is not a host's name: names have no scheme, port or path");
    std::string& kept = list.names_.emplace_back(bare);
    std::transform(kept.begin(), kept.end(), kept.begin(), lower);
  }
  return list;
}

bool HostList::has(std::string_view host) const {
  const auto parts = net::split_authority(host);
  if (!parts) return false;
  if (parts->bracketed) return net::is_ipv6(parts->host);
  const std::string_view name = without_dot(parts->host);
  if (same(name, "localhost")) return true;
  for (const std::string& known : names_)
    if (same(name, known)) return true;
  boost::system::error_code none;
  boost::asio::ip::make_address_v4(std::string(name), none);
  return !none;
}

}  // namespace frond::http
