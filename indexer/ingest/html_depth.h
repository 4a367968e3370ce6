#pragma once
// Markup that nests without end, tamed. A tree builder walks its stack of open elements at many tags, so a page of
// nothing but open tags would cost the square of its length. Browsers cap the depth too.
#include <cstddef>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlDepth = 256;

// The same page, with every start tag that would be nested deeper than `max_depth` blanked out. Text is kept. Linear in
// the page's length, and an overestimate of the depth: unclosed formatting counts, though a parser may end it.
std::string with_bounded_depth(std::string_view html, std::size_t max_depth = kMaxHtmlDepth);

}  // namespace frond::indexer::ingest
