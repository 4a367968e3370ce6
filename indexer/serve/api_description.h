#pragma once
// openapi.json of this folder, compiled in by cmake/EmbedFiles.cmake.
#include <string_view>

namespace frond::indexer::serve::embedded {

std::string_view openapi_json();

}  // namespace frond::indexer::serve::embedded
