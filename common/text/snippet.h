#pragma once
// The passage of a hit's text that matches the query best.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/text/analyzer.h"

namespace frond::text {

inline constexpr std::size_t kSnippetBytes = 240;                            // usual max_bytes
inline constexpr std::size_t kSnippetScanBytes = 256 << 10;                  // of a body; later matches are not found
inline constexpr std::string_view kMatchBegin = "\x02", kMatchEnd = "\x03";  // around each word that matches

// Returns the window of `body` with the most distinct terms, then the most occurrences, then the earliest; the
// beginning of the body if nothing matches. `terms` are results of `analyzer`. The snippet is valid UTF-8 for any body,
// on one line: white space and control characters become single spaces, so the marks cannot come from the body. It
// starts or ends with an ellipsis where the body goes on, is cut between words if there are spaces, and has at most
// `max_bytes` bytes besides marks and ellipses. It is not HTML; escape it for that.
std::string snippet(Analyzer& analyzer, std::string_view body, std::span<const std::string> terms,
                    std::size_t max_bytes);

}  // namespace frond::text
