#pragma once
// The bytes of broker/web/static/*, compiled in by cmake/EmbedFiles.cmake: one function a file.
#include <string_view>

namespace frond::broker::static_files {

std::string_view page_html();
std::string_view page_css();
std::string_view page_js();
std::string_view openapi_json();

}  // namespace frond::broker::static_files
