#pragma once
// Queries for measurements, read from a file and analysed like the documents of the collection.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"

namespace frond::tools::bench {

struct BenchTerm {
  std::string text;
  std::uint32_t occurrences = 1;
};
using BenchQuery = std::vector<BenchTerm>;  // distinct terms, in the query's order

// Reads any form that read_topics() knows. Queries without a term after analysis are left out. A `tag` keeps only lines
// {"query", "tags": […]} with this tag, as in the search benchmark game: "union", "intersection", "term". kNotFound;
// kInvalid: a line is malformed, or no query is left. Errors name the file, and the line.
Result<std::vector<BenchQuery>> read_queries(const std::filesystem::path& file, std::string_view tag,
                                             const text::AnalyzerConfig& analyzer);

// The same from a file's contents.
Result<std::vector<BenchQuery>> parse_queries(std::string_view contents, std::string_view tag,
                                              const text::AnalyzerConfig& analyzer);

}  // namespace frond::tools::bench
