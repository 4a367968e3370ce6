#pragma once
// Files that are compiled in, by cmake/EmbedFiles.cmake.
#include <string_view>

namespace frond::tools::bench::embedded {

std::string_view plot_gnuplot();  // the template of charts

}  // namespace frond::tools::bench::embedded
