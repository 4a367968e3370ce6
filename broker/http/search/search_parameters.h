#pragma once
// The parameters of a search, read from a query string or a JSON object with the same names, limits and errors
// (kParameters). Pure functions.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/query/analyzed_query.h"
#include "broker/query/cursor.h"
#include "common/base/result.h"
#include "common/http/server/server.h"
#include "common/query/clause.h"
#include "common/query/facets/facet.h"
#include "common/query/language/query_parser.h"
#include "common/query/sort_order.h"
#include "common/scoring/prior.h"
#include "common/text/limits.h"
#include "common/wire/messages.h"

namespace frond::broker::cluster {
struct Topology;
}

namespace frond::broker::http {

inline constexpr std::size_t kMaxSearchBody = 1 << 20;       // bytes of a search as JSON; more: 413
inline constexpr std::uint32_t kMaxK = 1000;                 // hits of one page
inline constexpr std::uint32_t kMaxDepth = wire::kMaxDepth;  // offset + k

struct SearchParameters {
  std::string q;                              // empty: `query` is there
  std::optional<frond::query::Clause> query;  // as written; of JSON only
  std::string filter;                         // in the query language; empty: none, or it is a clause
  std::optional<frond::query::Clause> filter_clause;
  frond::query::Syntax syntax = frond::query::Syntax::kQuery;      // of q and filter
  std::optional<frond::query::MinimumMatch> minimum_should_match;  // of q
  std::uint32_t k = 10;                                            // 1 .. kMaxK; 0 with `count`
  std::uint32_t offset = 0;                                        // offset + k <= kMaxDepth
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
  bool exact_total = false;
  std::uint8_t fields = wire::kAllFields;  // of the hits, beside the id (wire::kFieldTitle, …)
  std::vector<std::string> columns;        // … and these, sorted: "source", and what may be fields of the schema
  frond::query::SortOrder sort;            // empty: by score
  std::string search_after;                // with `sort`, and then offset is 0: a cursor; empty: from the first hit
  std::vector<frond::query::Facet> facets;
  bool did_you_mean = false;  // words that no document has, and what is like them
  // Not of HTTP: words, and the answer is to have what is like them.
  std::vector<frond::query::NearWord> near;
  // Likewise, and without the cache: Answer::counted in place of facets. Of so many searches, which share the memory
  // for what leaves count; 0: facets.
  std::uint32_t facets_apart = 0;
  bool cursors = false;  // likewise, with an order: Answer::cursors
  // Likewise: what is searched in place of what leaves serve, since nothing of the collection was published when the
  // search began: it has a schema and no partitions. Null: what leaves serve.
  std::shared_ptr<const cluster::Topology> unpublished;
  friend bool operator==(const SearchParameters&, const SearchParameters&) = default;
};

// What is wrong with a request, and with which parameter; "": the request as a whole.
struct ParameterError {
  std::string parameter, detail;
  std::optional<std::size_t> position = {};  // in it, in code points
  frond::http::Response response() const;    // 400, application/problem+json
};

// The parameters, or the first error: an unknown parameter, one given twice, a value out of range or of a wrong type, a
// missing q, a q that is longer than kMaxQueryBytes or not UTF-8, a clause that cannot be read (query::read_clause), a
// parameter of hits where only a count is wanted. Nothing is compared with a schema here.
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

// The parameters of a search, one row each: name, type, range, and where the value is stored. GET /v1/search takes them
// in its query string, but for `query`; POST /v1/search and each line of POST /v1/msearch take the same ones as members
// of a JSON object. /v1/count takes those that are not of hits, without `count`. openapi.json describes the same table;
// a test compares them.
template <class T>
struct Choice {
  std::string_view name;
  T value;
};

// The types of values. `to` is the member that a value is stored in. In JSON, text, choices and sets are strings.
struct TextValue {
  std::string SearchParameters::*to;
  std::size_t max_bytes;  // of UTF-8
};
struct IntegerValue {  // in JSON a number
  std::uint32_t SearchParameters::*to;
  std::uint32_t min, max;
};
struct RealValue {  // a decimal number, with an exponent if wanted; in JSON a number
  std::variant<std::optional<double> SearchParameters::*, double SearchParameters::*> to;
  unsigned min, max;
};
template <class T>
struct ChoiceValue {
  T SearchParameters::*to;
  std::span<const Choice<T>> choices;
};
struct FlagValue {  // "true", "false", "1" or "0"; in JSON a boolean
  bool SearchParameters::*to;
};
struct FieldsValue {};  // one or more names of fields, each at most once, separated by commas
struct MinimumValue {   // "2" or "75%"; in JSON also a number
  std::optional<frond::query::MinimumMatch> SearchParameters::*to;
};
struct ClauseValue {  // in JSON an object with one clause, or a text if there is a place for it; else that text
  std::optional<frond::query::Clause> SearchParameters::*to;
  std::string SearchParameters::*text;  // null: only JSON has the parameter
};

struct SortValue {};    // the text of query::parse_sort(); in JSON also a list of keys
struct FacetsValue {};  // the text of query::parse_facets(); in JSON also an object, as query::read_facets() reads it

struct Parameter {
  std::string_view name;
  std::variant<TextValue, IntegerValue, RealValue, ChoiceValue<wire::Mode>, ChoiceValue<wire::Rank>,
               ChoiceValue<wire::Processor>, ChoiceValue<frond::query::Syntax>, ChoiceValue<bool>, FlagValue,
               FieldsValue, MinimumValue, ClauseValue, SortValue, FacetsValue>
      value;
  bool required = false;  // q: `query` may be there instead
  bool of_hits = false;   // refused where only a count is wanted
};

inline constexpr Choice<wire::Mode> kModes[] = {
    {"and", wire::Mode::kAnd}, {"or", wire::Mode::kOr}, {"auto", wire::Mode::kAuto}};
inline constexpr Choice<wire::Rank> kRanks[] = {{"score", wire::Rank::kScore}, {"none", wire::Rank::kNone}};
inline constexpr Choice<wire::Processor> kProcessors[] = {{"auto", wire::Processor::kAuto},
                                                          {"cpu", wire::Processor::kCpu},
                                                          {"gpu", wire::Processor::kGpu},
                                                          {"exhaustive", wire::Processor::kExhaustive}};
inline constexpr Choice<frond::query::Syntax> kSyntaxes[] = {{"query", frond::query::Syntax::kQuery},
                                                             {"strict", frond::query::Syntax::kStrict},
                                                             {"plain", frond::query::Syntax::kPlain}};
inline constexpr Choice<bool> kTotals[] = {{"bounded", false}, {"exact", true}};
inline constexpr Choice<bool> kSwitches[] = {{"on", true}, {"off", false}};
inline constexpr Choice<std::uint8_t> kFields[] = {{"id", 0},  // every hit has it
                                                   {"title", wire::kFieldTitle},
                                                   {"url", wire::kFieldUrl},
                                                   {"snippet", wire::kFieldSnippet}};
inline constexpr std::string_view kSource = "source";  // the document as it was given

inline constexpr Parameter kParameters[] = {
    {"q", TextValue{&SearchParameters::q, query::kMaxQueryBytes}, true},
    {"query", ClauseValue{&SearchParameters::query, nullptr}},
    {"filter", ClauseValue{&SearchParameters::filter_clause, &SearchParameters::filter}},
    {"syntax", ChoiceValue<frond::query::Syntax>{&SearchParameters::syntax, kSyntaxes}},
    {"minimum_should_match", MinimumValue{&SearchParameters::minimum_should_match}},
    {"k", IntegerValue{&SearchParameters::k, 1, kMaxK}, false, true},
    {"offset", IntegerValue{&SearchParameters::offset, 0, kMaxDepth - 1}, false, true},
    {"mode", ChoiceValue<wire::Mode>{&SearchParameters::mode, kModes}},
    {"rank", ChoiceValue<wire::Rank>{&SearchParameters::rank, kRanks}, false, true},
    {"k1", RealValue{&SearchParameters::k1, 0, static_cast<unsigned>(scoring::kMaxK1)}, false, true},
    {"b", RealValue{&SearchParameters::b, 0, 1}, false, true},
    {"prior_weight", RealValue{&SearchParameters::prior_weight, 0, scoring::kMaxPriorWeightValue}, false, true},
    {"count", FlagValue{&SearchParameters::count}},
    {"timeout_ms", IntegerValue{&SearchParameters::timeout_ms, 1, 3'600'000}},
    {"processor", ChoiceValue<wire::Processor>{&SearchParameters::processor, kProcessors}},
    {"cache", ChoiceValue<bool>{&SearchParameters::cache, kSwitches}},
    {"explain", FlagValue{&SearchParameters::explain}},
    {"profile", FlagValue{&SearchParameters::profile}},
    {"allow_partial", FlagValue{&SearchParameters::allow_partial}},
    {"total", ChoiceValue<bool>{&SearchParameters::exact_total, kTotals}, false, true},
    {"fields", FieldsValue{}, false, true},
    {"sort", SortValue{}, false, true},
    {"search_after", TextValue{&SearchParameters::search_after, query::kMaxCursorBytes}, false, true},
    {"facets", FacetsValue{}, false, true},
    {"did_you_mean", FlagValue{&SearchParameters::did_you_mean}, false, true},
};

// The row of a name; null: none.
const Parameter* find_parameter(std::string_view name);

// Stores `text` in its place. Otherwise says what is wrong with it, in words that follow the parameter's name.
std::optional<std::string> store(const Parameter& parameter, std::string_view text, SearchParameters& to);

}  // namespace frond::broker::http
