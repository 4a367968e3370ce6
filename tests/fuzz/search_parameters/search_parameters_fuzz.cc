// Any query string and any body as a search, through analysis to the cache's key; and any text in an answer's JSON.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "broker/http/answer_json.h"
#include "broker/http/search_parameters.h"
#include "broker/query/analyzed_query.h"
#include "common/base/check.h"

namespace {
void examine(const frond::broker::http::ParsedSearch& parsed) {
  namespace query = frond::broker::query;
  if (!parsed.ok) {
    FROND_CHECK(parsed.error.response().status == 400);
    FROND_CHECK(nlohmann::json::accept(parsed.error.response().body));
    return;
  }
  const auto& parameters = parsed.parameters;
  FROND_CHECK((parameters.k >= 1) != parameters.count);
  FROND_CHECK(!parameters.count ||
              (parameters.rank == frond::wire::Rank::kNone && parameters.mode != frond::wire::Mode::kAuto));
  FROND_CHECK(parameters.k <= frond::broker::http::kMaxK &&
              parameters.offset + parameters.k <= frond::broker::http::kMaxDepth);
  FROND_CHECK(parameters.fields <= frond::wire::kAllFields);
  static query::QueryAnalyzer analyzer;
  if (const auto analyzed = analyzer.analyze(parameters.q, {})) (void)query::normalized(*analyzed);
  const auto signs = frond::broker::http::render_signs(query::signs_not_applied(parameters.q));
  FROND_CHECK(nlohmann::json::accept("{\"hits\":[]" + signs + "}"));
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  examine(frond::broker::http::parse_search_query(text));
  examine(frond::broker::http::parse_search_json(text));
  examine(frond::broker::http::parse_count_query(text));
  examine(frond::broker::http::parse_count_json(text));
  std::string quoted;
  frond::broker::http::append_json_string(quoted, frond::broker::http::snippet_html(text));
  FROND_CHECK(nlohmann::json::accept(quoted));
  return 0;
}
