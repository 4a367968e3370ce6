#pragma once
// The broker's static files, built into the binary: the search and status page, and the API's description.
#include <optional>
#include <string_view>

namespace frond::broker {

struct Asset {
  std::string_view content_type;
  std::string_view body;  // lives for ever
};

// By request path: "/", "/assets/page.css", "/assets/page.js", "/openapi.json". Nothing for any other. Any thread.
std::optional<Asset> find_asset(std::string_view path);

// Sent with every asset: nothing from elsewhere is loaded, framed or run.
inline constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri "
    "'none'; "
    "form-action 'self'; frame-ancestors 'none'";

}  // namespace frond::broker
