#include "tools/bench/query/query_set.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/base/lines.h"
#include "common/text/analyzer.h"
#include "tools/topics/topics.h"

namespace frond::tools::bench {
namespace {

BenchQuery analysed(text::Analyzer& analyzer, std::string_view text) {
  BenchQuery query;
  for (auto& term : analyzer.query_terms(text)) {
    const auto same = std::find_if(query.begin(), query.end(), [&](const auto& one) { return one.text == term; });
    if (same != query.end())
      ++same->occurrences;
    else
      query.push_back({std::move(term), 1});
  }
  return query;
}

// The lines of JSON objects that have the tag.
Result<std::string> lines_with(std::string_view contents, std::string_view tag) {
  std::string kept;
  Lines lines(contents);
  while (const auto next = lines.next()) {
    const std::string_view line = *next;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const auto tags = json.is_object() ? json.find("tags") : json.end();
    if (!json.is_object() || tags == json.end() || !tags->is_array())
      return Error(Code::kInvalid, "line " + std::to_string(lines.number()) + ": no object with \"tags\"");
    if (std::find(tags->begin(), tags->end(), tag) != tags->end()) kept.append(line) += '\n';
  }
  if (kept.empty()) return Error(Code::kInvalid, "no query has the tag '" + std::string(tag) + "'");
  return kept;
}

}  // namespace

Result<std::vector<BenchQuery>> parse_queries(std::string_view contents, std::string_view tag,
                                              const text::AnalyzerConfig& analyzer_config) {
  std::string kept;
  if (!tag.empty()) contents = kept = FROND_TRY(lines_with(contents, tag));
  const auto topics = FROND_TRY(parse_topics(contents));
  text::Analyzer analyzer(analyzer_config);
  std::vector<BenchQuery> queries;
  for (const auto& topic : topics) {
    auto query = analysed(analyzer, topic.text);
    if (!query.empty()) queries.push_back(std::move(query));
  }
  if (queries.empty()) return Error(Code::kInvalid, "no query has a term");
  return queries;
}

Result<std::vector<BenchQuery>> read_queries(const std::filesystem::path& file, std::string_view tag,
                                             const text::AnalyzerConfig& analyzer) {
  const std::string contents = FROND_TRY(read_topic_file(file));
  auto queries = parse_queries(contents, tag, analyzer);
  if (!queries) return std::move(queries).error().within(file.string());
  return queries;
}

}  // namespace frond::tools::bench
