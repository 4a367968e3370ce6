#pragma once
// figures.json, compiled in by cmake/EmbedFiles.cmake.
#include <string_view>

namespace frond::tools::papers::embedded {

std::string_view figures_json();

}  // namespace frond::tools::papers::embedded
