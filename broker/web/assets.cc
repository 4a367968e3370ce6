#include "broker/web/assets.h"

#include "broker/web/static_files.h"

namespace frond::broker::web {

std::span<const Asset> assets() {
  static constexpr std::string_view kHtml = "text/html; charset=utf-8", kScript = "text/javascript; charset=utf-8";
  static const Asset kAssets[] = {
      {"/", kHtml, static_files::search_html()},
      {"/document", kHtml, static_files::document_html()},
      {"/status", kHtml, static_files::status_html()},
      {"/assets/page.css", "text/css; charset=utf-8", static_files::page_css()},
      {"/assets/icon.svg", "image/svg+xml", static_files::icon_svg()},
      {"/assets/api.js", kScript, static_files::api_js()},
      {"/assets/dom.js", kScript, static_files::dom_js()},
      {"/assets/document.js", kScript, static_files::document_js()},
      {"/assets/hits.js", kScript, static_files::hits_js()},
      {"/assets/key.js", kScript, static_files::key_js()},
      {"/assets/picture.js", kScript, static_files::picture_js()},
      {"/assets/profile.js", kScript, static_files::profile_js()},
      {"/assets/search.js", kScript, static_files::search_js()},
      {"/assets/status.js", kScript, static_files::status_js()},
      {"/openapi.json", "application/json", static_files::openapi_json()},
  };
  return kAssets;
}

std::optional<Asset> find_asset(std::string_view path) {
  for (const Asset& asset : assets())
    if (asset.path == path) return asset;
  return std::nullopt;
}

}  // namespace frond::broker::web
