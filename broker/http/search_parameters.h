#pragma once
// The parameters of a search, read from a query string or a JSON object with the same names, limits and errors
// (parameter_table.h). Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/server.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

inline constexpr std::uint32_t kMaxK = 1000;                 // hits of one page
inline constexpr std::uint32_t kMaxDepth = wire::kMaxDepth;  // offset + k

struct SearchParameters {
  std::string q;
  std::uint32_t k = 10;      // 1 .. kMaxK; 0 with `count`
  std::uint32_t offset = 0;  // offset + k <= kMaxDepth
  wire::Mode mode = wire::Mode::kAuto;
  wire::Rank rank = wire::Rank::kScore;
  double prior_weight = 1;       // 0 .. scoring::kMaxPriorWeightValue
  std::optional<double> k1, b;   // of BM25, 0 .. scoring::kMaxK1 and 0 .. 1; empty: the generation's
  bool count = false;            // only the number of matches: k and offset are 0, rank is kNone, mode is kAnd or kOr
  std::uint32_t timeout_ms = 0;  // 0: the broker's default
  wire::Processor processor = wire::Processor::kAuto;
  bool cache = true;
  bool explain = false;
  bool profile = false;
  bool allow_partial = true;
  std::uint8_t fields = wire::kAllFields;  // of the hits, beside the id (wire::kFieldTitle, …)
  friend bool operator==(const SearchParameters&, const SearchParameters&) = default;
};

// What is wrong with a request, and with which parameter; "": the request as a whole.
struct ParameterError {
  std::string parameter, detail;
  frond::http::Response response() const;  // 400, application/problem+json
};

// The parameters, or the first error: an unknown parameter, one given twice, a value out of range or of a wrong type, a
// missing q, a q that is longer than kMaxQueryBytes or not UTF-8, a parameter of hits where only a count is wanted.
struct ParsedSearch {
  SearchParameters parameters;
  ParameterError error;
  bool ok = false;  // true: no error
};
ParsedSearch parse_search_query(std::string_view query_string);
ParsedSearch parse_search_json(std::string_view json);
// The same for /v1/count: `count` is true and not a parameter.
ParsedSearch parse_count_query(std::string_view query_string);
ParsedSearch parse_count_json(std::string_view json);

}  // namespace frond::broker::http
