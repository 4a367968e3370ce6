#pragma once
// Queries to measure with: read from a file, analysed as a collection's documents were.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"

namespace frond::tools {

struct BenchTerm {
  std::string text;
  std::uint32_t occurrences = 1;
};
using BenchQuery = std::vector<BenchTerm>;  // distinct terms, in the query's order

// Any form that read_topics() knows. A `tag` keeps only the lines {"query", "tags": […]} that have it, the form of the
// search benchmark game: "union", "intersection", "term". kNotFound, kInvalid: names the file and the line; also when
// no query is left. Queries without a term after analysis are left out.
Result<std::vector<BenchQuery>> read_queries(const std::filesystem::path& file, std::string_view tag,
                                             const text::AnalyzerConfig& analyzer);

// The same from a file's contents.
Result<std::vector<BenchQuery>> parse_queries(std::string_view contents, std::string_view tag,
                                              const text::AnalyzerConfig& analyzer);

}  // namespace frond::tools
