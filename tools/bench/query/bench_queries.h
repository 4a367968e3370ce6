#pragma once
// Queries for measurements, read from a file as the collection's documents were.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/query/factor.h"
#include "common/text/analyzer_config.h"

namespace frond::tools::bench {

enum class QueryForm : std::uint8_t {
  kWords,   // text, analysed like the documents
  kWeights  // of a collection of impacts: tokens as they are between white space, each as TOKEN^WEIGHT or TOKEN
};

struct BenchTerm {
  std::string text;
  std::uint32_t occurrences = 1;
  std::uint32_t units = query::Factor::kOne;  // kWeights: its weight, of all occurrences, in 1/256
};
using BenchQuery = std::vector<BenchTerm>;  // distinct terms, in the query's order

// Reads any form that read_topics() knows. Queries without a term after analysis are left out. A `tag` keeps only lines
// {"query", "tags": […]} with this tag, as in the search benchmark game: "union", "intersection", "term". kNotFound;
// kInvalid: a line is malformed, no query is left, or the weights of one are more than 180 in all, which leaves search
// by other means (docs/adr/0071). Errors name the file, and the line or query.
Result<std::vector<BenchQuery>> read_queries(const std::filesystem::path& file, std::string_view tag,
                                             const text::AnalyzerConfig& analyzer, QueryForm form = QueryForm::kWords);

// The same from a file's contents.
Result<std::vector<BenchQuery>> parse_queries(std::string_view contents, std::string_view tag,
                                              const text::AnalyzerConfig& analyzer, QueryForm form = QueryForm::kWords);

// A query as a line that this reads.
std::string query_line(const BenchQuery& query, QueryForm form);

}  // namespace frond::tools::bench
