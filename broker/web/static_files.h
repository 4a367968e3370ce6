#pragma once
// The bytes of broker/web/static/*, compiled in by cmake/EmbedFiles.cmake: one function per file.
#include <string_view>

namespace frond::broker::web::static_files {

std::string_view search_html();
std::string_view document_html();
std::string_view status_html();
std::string_view page_css();
std::string_view icon_svg();
std::string_view api_js();
std::string_view dom_js();
std::string_view hits_js();
std::string_view key_js();
std::string_view picture_js();
std::string_view profile_js();
std::string_view search_js();
std::string_view document_js();
std::string_view status_js();
std::string_view openapi_json();

}  // namespace frond::broker::web::static_files
