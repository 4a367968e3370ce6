#pragma once
// Markup to text.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/plain_text.h"

namespace frond::indexer {

inline constexpr std::size_t kMaxHtmlBytes = std::size_t{16} << 20;

// The words of an HTML page, or of anything with tags: scripts, styles, templates and comments dropped, references
// resolved, white space folded, one line a block element. The title is that of <title>, or of TREC's <headline>, <ttl>
// or <hl>; it is not in the body. `utf8` is valid UTF-8. Tags nested deeper than kMaxHtmlDepth are ignored. kInvalid:
// longer than kMaxHtmlBytes, or it takes more memory than any honest page of its length.
Result<TitledText> html_to_text(std::string_view utf8);

}  // namespace frond::indexer
