#pragma once
// A page as the API's JSON, in two pieces, so that a cached answer costs one concatenation: the head differs from
// request to request, the rest is the answer.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "broker/merge/page.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

// `"coverage":…,"total":…,"hits":[…]` and what was asked for: `,"explain":…`, `,"profile":…`; ends with `}`. One line.
struct RenderOptions {
  bool explain = false;  // also gives each hit its "score_fixed", and says which terms and mode were used
  bool profile = false;
  std::span<const wire::QueryTerm> terms;  // for explain
};
std::string render_rest(const merge::Page& page, const RenderOptions& options);

// `{"took_ms":…,"timed_out":…,"generation":…,"cache":"…",` and the rest.
std::string render_answer(std::uint64_t took_us, bool timed_out, Generation generation, std::string_view cache,
                          std::string_view rest);

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
// score / 65536, exactly: a double holds every such quotient, and it is printed as the shortest decimal that reads back
// as it. So equal scores print equally, and others differ.
void append_score(std::string& out, topk::Score score);
// HTML-safe: & < > " ' escaped, the marks U+0002 and U+0003 as <mark> and </mark>, always balanced.
std::string snippet_html(std::string_view marked);

}  // namespace frond::broker::http
