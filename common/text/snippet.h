#pragma once
// What a hit shows of its text: the passage that speaks most of the query.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/text/analyzer.h"

namespace frond::text {

inline constexpr std::size_t kSnippetBytes = 240;            // a good max_bytes
inline constexpr std::size_t kSnippetScanBytes = 256 << 10;  // of a body; later matches are not looked for
inline constexpr std::string_view kMatchBegin = "\x02", kMatchEnd = "\x03";  // around each word that matches

// The window of `body` with the most distinct terms, then the most occurrences, then the earliest; the beginning of the
// body where nothing matches. `terms` are analysed as `analyzer` does. The result is valid UTF-8 whatever the body is,
// on one line: white space and control characters are folded to single spaces, so the two marks are never the body's
// own. It starts and ends with an ellipsis where the body goes on, is cut between words where there are spaces, and has
// at most `max_bytes` bytes besides marks and ellipses. Not HTML: who prints it escapes it.
std::string snippet(Analyzer& analyzer, std::string_view body, std::span<const std::string> terms,
                    std::size_t max_bytes);

}  // namespace frond::text
