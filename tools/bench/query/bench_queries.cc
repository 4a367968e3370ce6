#include "tools/bench/query/bench_queries.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/lines.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer.h"
#include "tools/topics/topics.h"

namespace frond::tools::bench {
namespace {

BenchTerm& term_of(BenchQuery& query, std::string_view term) {
  const auto same = std::ranges::find(query, term, &BenchTerm::text);
  return same != query.end() ? *same : query.emplace_back(BenchTerm{std::string(term), 0, 0});
}

BenchQuery analysed(text::Analyzer& analyzer, std::string_view text) {
  BenchQuery query;
  for (const std::string& term : analyzer.query_terms(text)) ++term_of(query, term).occurrences;
  return query;
}

// Of TOKEN^WEIGHT. A token may have a ^ itself: what is behind the last one is a weight only if it is a number.
std::optional<query::Factor> weight_behind(std::string_view token, std::size_t sign) {
  double number = 0;
  const char* const end = token.data() + token.size();
  const auto [at, failed] = std::from_chars(token.data() + sign + 1, end, number);
  if (failed != std::errc() || at != end) return {};
  return query::factor_of(number, query::kMaxTokenWeight);
}

// Tokens of weight 0 are left out, as those of a weights clause.
Result<BenchQuery> weighted(std::string_view text) {
  BenchQuery query;
  std::uint64_t units = 0;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    std::string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(token.size());
    query::Factor weight;
    const std::size_t sign = token.rfind('^');
    if (const auto given = sign == token.npos || sign == 0 ? std::nullopt : weight_behind(token, sign)) {
      weight = *given;
      token = token.substr(0, sign);
    }
    if (weight.units == 0) continue;
    units += weight.units;
    if (units > scoring::kMaxImpactUnits)
      return Error(Code::kInvalid,
                   fmt::format("weights of more than {} in all", scoring::kMaxImpactUnits / query::Factor::kOne));
    BenchTerm& term = term_of(query, token);
    ++term.occurrences;
    term.units += weight.units;
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
                                              const text::AnalyzerConfig& analyzer_config, QueryForm form) {
  std::string kept;
  if (!tag.empty()) contents = kept = FROND_TRY(lines_with(contents, tag));
  const auto topics = FROND_TRY(parse_topics(contents));
  text::Analyzer analyzer(analyzer_config);
  std::vector<BenchQuery> queries;
  for (const auto& topic : topics) {
    auto query = form == QueryForm::kWords ? analysed(analyzer, topic.text) : weighted(topic.text);
    if (!query) return std::move(query).error().within("query " + topic.id);
    if (!query->empty()) queries.push_back(*std::move(query));
  }
  if (queries.empty()) return Error(Code::kInvalid, "no query has a term");
  return queries;
}

Result<std::vector<BenchQuery>> read_queries(const std::filesystem::path& file, std::string_view tag,
                                             const text::AnalyzerConfig& analyzer, QueryForm form) {
  const std::string contents = FROND_TRY(read_topic_file(file));
  auto queries = parse_queries(contents, tag, analyzer, form);
  if (!queries) return std::move(queries).error().within(file.string());
  return queries;
}

std::string query_line(const BenchQuery& query, QueryForm form) {
  std::string line;
  for (const BenchTerm& term : query) {
    if (form == QueryForm::kWeights) {
      line += fmt::format("{}{}^{}", line.empty() ? "" : " ", term.text, query::Factor{term.units}.value());
      continue;
    }
    for (std::uint32_t i = 0; i < term.occurrences; ++i) line.append(line.empty() ? "" : " ").append(term.text);
  }
  return line;
}

}  // namespace frond::tools::bench
