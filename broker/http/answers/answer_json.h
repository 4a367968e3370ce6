#pragma once
// Renders a page as the API's JSON, in two parts: the head differs from request to request, the rest is the same for
// equal searches. So a cached answer costs one concatenation. Pure functions.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "broker/merge/merge.h"
#include "broker/query/planned_query.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

// `"coverage":…,"total":…,"hits":[…]`, or for a count `"coverage":…,"count":…,"relation":…`; then `,"cursor":"…"` and
// `,"facets":{…}` if there are, then `near`, then `understood`, then
// `,"explain":…` and `,"profile":…` if wanted, then `}`. One line.
struct RenderOptions {
  bool explain = false;  // adds the terms, the mode used, k1 and b, and to each hit its "score_fixed" and "ordinal"
  bool profile = false;
  std::span<const wire::QueryTerm> terms;  // for explain
  scoring::Bm25Parameters bm25;            // for explain: what the hits are ranked by
  std::uint8_t fields = wire::kAllFields;  // of each hit, beside its id and score (wire::kFieldTitle, …)
  bool scored = true;                      // false: hits have no score
  bool count = false;
  std::string_view understood = {};                 // from render_understood() and render_empty()
  const merge::Arrangement* arrangement = nullptr;  // of the page's hits and facets; null: they have none
  std::string_view cursor = {};                     // of the next page; empty: none
  std::string_view near = {};                       // from render_near()
};
// Where the text has what another answer is made of, so that nobody has to read it as JSON again.
struct Pieces {
  struct Piece {
    std::uint32_t begin = 0, size = 0;
    std::string_view of(std::string_view text) const { return text.substr(begin, size); }
  };
  struct Hit {
    Piece id, columns, sort;  // a string, members, a list; empty: there is none
    topk::Score score = 0;
  };
  bool scored = true;  // hits have a score
  merge::Count total;  // of a count as if it were exact
  std::vector<Hit> hits;
  Piece coverage, cursor, facets, near;  // empty: there is none; near: "did_you_mean"
};
// `pieces`: set, unless null.
std::string render_rest(const merge::Page& page, const RenderOptions& options, Pieces* pieces = nullptr);

// `,"understood":"…"` unless that is empty, and `,"signs_not_applied":[{"text":…,"position":…,"expected":…,…},…]`
// unless there are none.
std::string render_understood(std::string_view understood, std::span<const query::ParameterNote> notes);
// `,"empty_query":…`, behind them: of a query without terms.
std::string_view render_empty(bool only_stop_words);

// `{"took_ms":…,"timed_out":…,"generation":…,"cache":"…",`, then `rest`.
std::string render_answer(std::uint64_t took_us, bool timed_out, Generation generation, std::string_view cache,
                          std::string_view rest);

void append_number(std::string& out, std::uint64_t value);
// Appends value / 1000 with three decimals.
void append_thousandths(std::string& out, std::uint64_t value);
// Appends the name of a member, with a comma unless it is the object's first, and its colon.
void append_name(std::string& out, std::string_view name);
// … and a text.
void append_text(std::string& out, std::string_view name, std::string_view text);
// … and a number.
void append_count(std::string& out, std::string_view name, std::uint64_t value);
// Appends `,"profile":{…}`: where a search's time went.
void append_profile(std::string& out, const merge::Page::Profile& profile);
// Appends `,"sort":[…]`: what the hit has of each key.
void append_sort(std::string& out, const std::string& sort_bytes, const merge::Arrangement& arrangement);
// Appends `,"facets":{…}`.
void append_facets(std::string& out, const std::vector<merge::FacetTotals>& totals,
                   const merge::Arrangement& arrangement);
// The shortest decimal that reads back as the same number. `value` is finite.
void append_real(std::string& out, double value);
// Appends score / 65536 exactly: a double holds every such quotient, and is printed as the shortest decimal that reads
// back as the same double. So equal scores print equally, and different scores differently.
void append_score(std::string& out, topk::Score score);
// Escapes & < > " ' for HTML, and turns the marks U+0002 and U+0003 into <mark> and </mark>, always balanced.
std::string snippet_html(std::string_view marked);

}  // namespace frond::broker::http
