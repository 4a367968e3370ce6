// Any query string and any body as a search, through analysis to the cache's key; and any text in an answer's JSON.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "broker/http/answers/answer_json.h"
#include "broker/http/search/search_parameters.h"
#include "broker/query/planned_query.h"
#include "common/base/check.h"
#include "common/query/json/clause_json.h"
#include "common/query/normal_form.h"
#include "common/schema/json.h"
#include "tests/support/query_schema.h"

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
  const query::WrittenQuery written{.q = parameters.q,
                                    .clause = parameters.query ? &*parameters.query : nullptr,
                                    .filter = parameters.filter,
                                    .filter_clause = parameters.filter_clause ? &*parameters.filter_clause : nullptr,
                                    .syntax = parameters.syntax,
                                    .minimum = parameters.minimum_should_match,
                                    .mode = parameters.mode,
                                    .scored = !parameters.count,
                                    .sort = parameters.sort,
                                    .facets = parameters.facets};
  const auto made = query::plan(written, frond::support::query_schema(), analyzer, {}, {});
  if (const auto* planned = std::get_if<query::PlannedQuery>(&made)) {
    const auto understood = frond::broker::http::render_understood(planned->understood, planned->notes);
    FROND_CHECK(nlohmann::json::accept("{\"hits\":[]" + understood + "}"));
    for (const std::string& clause : {planned->clause, planned->filter}) {
      if (clause.empty()) continue;
      const auto again = frond::query::parse_clause(clause, "clause");
      FROND_CHECK(again && frond::query::cache_key(*again) == clause);
    }
    FROND_CHECK(!query::is_plain(written) || (planned->clause.empty() && planned->filter.empty() &&
                                              planned->notes.empty() && planned->mode == parameters.mode));
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  examine(frond::broker::http::parse_search_query(text));
  examine(frond::broker::http::parse_search_json(text));
  examine(frond::broker::http::parse_count_query(text));
  examine(frond::broker::http::parse_count_json(text));
  std::string quoted;
  frond::schema::append_json_string(quoted, frond::broker::http::snippet_html(text));
  FROND_CHECK(nlohmann::json::accept(quoted));
  return 0;
}
