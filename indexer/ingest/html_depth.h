#pragma once
// Bounds the depth of elements in a page. A tree builder searches its stack of open elements at many tags, so a page of
// nothing but open tags would take time in the square of its length. Browsers bound the depth, too.
#include <cstddef>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlDepth = 256;

// The page with every start tag that is nested deeper than `max_depth` replaced by spaces. Text is kept. Takes linear
// time. Overestimates the depth: unclosed formatting counts, although a parser may end it.
std::string with_bounded_depth(std::string_view html, std::size_t max_depth = kMaxHtmlDepth);

}  // namespace frond::indexer::ingest
