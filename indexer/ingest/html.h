#pragma once
// HTML to text.
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/plain_text.h"

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTreeBytes = ~std::size_t{0};  // no limit beyond the one of ordinary pages

struct HtmlOptions {
  std::size_t tree_bytes = kMaxTreeBytes;  // memory for the elements
  bool xhtml = false;                      // by its type or name; otherwise the page says it
  const std::stop_token* stop = nullptr;
};
// The text of an HTML page, or of anything with tags, as cleaned_html() leaves it: without scripts, styles, templates
// and comments; references resolved, white space folded, one line a block element. The title is that of <title>, or of
// TREC's <headline>, <ttl> or <hl>; it is not in the body. Links that are nothing but a pilcrow, which documentation
// has at its headings, are left out. `utf8` is valid UTF-8. kInvalid: the page is longer than kMaxHtmlBytes, or its
// elements take too much memory or more than PageArena::kMaxSeconds. kUnavailable: stopped.
Result<TitledText> html_to_text(std::string_view utf8, const HtmlOptions& options = {});

}  // namespace frond::indexer::ingest
