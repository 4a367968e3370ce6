#include "broker/web/assets.h"

namespace frond::broker::web {

// The bytes of broker/web/static/*, compiled in by cmake/EmbedFiles.cmake: one function per file.
namespace static_files {
std::string_view search_html();
std::string_view document_html();
std::string_view status_html();
std::string_view page_css();
std::string_view icon_svg();
std::string_view api_js();
std::string_view columns_js();
std::string_view dom_js();
std::string_view facets_js();
std::string_view hits_js();
std::string_view key_js();
std::string_view picture_js();
std::string_view profile_js();
std::string_view search_js();
std::string_view state_js();
std::string_view ways_js();
std::string_view document_js();
std::string_view status_js();
std::string_view openapi_json();
}  // namespace static_files

std::span<const Asset> assets() {
  static constexpr std::string_view kHtml = "text/html; charset=utf-8", kScript = "text/javascript; charset=utf-8";
  static const Asset kAssets[] = {
      {"/", kHtml, static_files::search_html()},
      {"/document", kHtml, static_files::document_html()},
      {"/status", kHtml, static_files::status_html()},
      {"/assets/page.css", "text/css; charset=utf-8", static_files::page_css()},
      {"/assets/icon.svg", "image/svg+xml", static_files::icon_svg()},
      {"/assets/api.js", kScript, static_files::api_js()},
      {"/assets/columns.js", kScript, static_files::columns_js()},
      {"/assets/dom.js", kScript, static_files::dom_js()},
      {"/assets/document.js", kScript, static_files::document_js()},
      {"/assets/facets.js", kScript, static_files::facets_js()},
      {"/assets/hits.js", kScript, static_files::hits_js()},
      {"/assets/key.js", kScript, static_files::key_js()},
      {"/assets/picture.js", kScript, static_files::picture_js()},
      {"/assets/profile.js", kScript, static_files::profile_js()},
      {"/assets/search.js", kScript, static_files::search_js()},
      {"/assets/state.js", kScript, static_files::state_js()},
      {"/assets/ways.js", kScript, static_files::ways_js()},
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
