#pragma once
// The broker's static files, built into the binary: the search page, the status page and the API's description. Any
// thread.
#include <optional>
#include <span>
#include <string_view>

namespace frond::broker::web {

struct Asset {
  std::string_view path;  // of the request
  std::string_view content_type;
  std::string_view body;
};

// All files.
std::span<const Asset> assets();

// The file with this request path; none: there is none.
std::optional<Asset> find_asset(std::string_view path);

// Sent with every file: pages load nothing from other hosts, cannot be framed, contain no inline scripts or styles, and
// scripts cannot turn text into HTML.
inline constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

}  // namespace frond::broker::web
