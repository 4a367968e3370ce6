#pragma once
// The passage of a hit's text that matches the query best.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/text/analyzer.h"

namespace frond::text {

inline constexpr std::size_t kSnippetBytes = 240;  // usual max_bytes
// Of a body only so much is looked at, so that a document of 1 MB costs no more than one of 64 KB. Where all matches
// come later the snippet is the beginning of the body; where some do, the best window of the first 64 KB is shown.
inline constexpr std::size_t kSnippetScanBytes = 64 << 10;
inline constexpr std::string_view kMatchBegin = "\x02", kMatchEnd = "\x03";  // around each word that matches

// Returns the window of `body` with the most distinct terms, then the most occurrences, then the earliest; the
// beginning of the body if nothing matches. `terms` are results of `analyzer`. The snippet is valid UTF-8 for any body,
// on one line: white space and control characters become single spaces, so the marks cannot come from the body. It
// starts or ends with an ellipsis where the body goes on, is cut between words if there are spaces, never inside a
// grapheme cluster (unicode.h), and has at most `max_bytes` bytes besides marks and ellipses. Marks stand around whole
// clusters; of a word that is longer than `max_bytes`, around its beginning. It is not HTML; escape it for that.
std::string snippet(Analyzer& analyzer, std::string_view body, std::span<const std::string> terms,
                    std::size_t max_bytes);

}  // namespace frond::text
