#include "common/net/endpoint.h"

#include <algorithm>

namespace frond::net {
namespace {

// What is wrong with a socket's path; empty if nothing is.
std::string_view fault_of_path(std::string_view path) {
  if (!path.starts_with('/') || path.ends_with('/')) return "the path is not that of a file from / on";
  if (path.size() > kMaxSocketPathBytes) return "the path is longer than 107 bytes";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  return std::any_of(path.begin(), path.end(), is_control) ? "the path has a control character" : "";
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  constexpr std::string_view kLocal = "ipc://";
  if (!text.starts_with(kLocal)) {
    Endpoint tcp;
    tcp.tcp = FROND_TRY(parse_tcp_endpoint(text));
    return tcp;
  }
  const std::string_view path = text.substr(kLocal.size());
  if (const auto fault = fault_of_path(path); !fault.empty())
    return Error(Code::kInvalid, "'" + std::string(text) + "' is not ipc://PATH: " + std::string(fault));
  Endpoint local;
  local.path = path;
  return local;
}

}  // namespace frond::net
