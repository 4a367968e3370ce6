#pragma once
// The broker's static files, built into the binary: the search page, the status page, and the API's description.
#include <optional>
#include <span>
#include <string_view>

namespace frond::broker::web {

struct Asset {
  std::string_view path;  // of the request
  std::string_view content_type;
  std::string_view body;  // all three live for ever
};

// All of them. Any thread.
std::span<const Asset> assets();

// By request path; nothing where no asset has it.
std::optional<Asset> find_asset(std::string_view path);

// Sent with every asset: nothing from elsewhere is loaded, framed or run, no script or style stands in a page, and no
// text becomes HTML by a script.
inline constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

}  // namespace frond::broker::web
