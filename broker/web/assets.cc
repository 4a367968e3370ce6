#include "broker/web/assets.h"

#include <array>

#include "broker/web/static_files.h"

namespace frond::broker {

std::optional<Asset> find_asset(std::string_view path) {
  struct Entry {
    std::string_view path, content_type, body;
  };
  static const std::array<Entry, 4> kEntries = {{
      {"/", "text/html; charset=utf-8", static_files::page_html()},
      {"/assets/page.css", "text/css; charset=utf-8", static_files::page_css()},
      {"/assets/page.js", "text/javascript; charset=utf-8", static_files::page_js()},
      {"/openapi.json", "application/json", static_files::openapi_json()},
  }};
  for (const auto& entry : kEntries)
    if (entry.path == path) return Asset{entry.content_type, entry.body};
  return std::nullopt;
}

}  // namespace frond::broker
