#pragma once
// HTML to text.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/plain_text.h"

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTreeBytes = ~std::size_t{0};  // no limit beyond the one of ordinary pages

// The text of an HTML page, or of anything with tags: without scripts, styles, templates and comments; references
// resolved, white space folded, one line a block element. The title is that of <title>, or of TREC's <headline>, <ttl>
// or <hl>; it is not in the body. `utf8` is valid UTF-8. Tags nested deeper than kMaxHtmlDepth are ignored. kInvalid:
// the page is longer than kMaxHtmlBytes, or its elements take more than `tree_bytes` of memory.
Result<TitledText> html_to_text(std::string_view utf8, std::size_t tree_bytes = kMaxTreeBytes);

}  // namespace frond::indexer::ingest
