#pragma once
// Grapheme clusters (UAX #29): what readers take for one character, as a letter with its accents, a flag, or an emoji
// with its skin tone. No reader means the longer ones that a text may have: behind 64 code points of a cluster, each
// further one is a cluster of its own.
#include <cstddef>
#include <string_view>

namespace frond::text {

// The greatest place <= at, and the least one >= at, at which a cluster of `text` begins or the text ends. Bytes that
// are not UTF-8 are clusters of their own. Looks at 64 code points on either side, and back as far as a run of flags
// reaches.
std::size_t cluster_begin(std::string_view text, std::size_t at);
std::size_t cluster_end(std::string_view text, std::size_t at);

}  // namespace frond::text
