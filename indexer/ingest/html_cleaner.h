#pragma once
// A page without what is no text, for the tree builder: it takes less time and memory, and none beyond proportion.
#include <cstddef>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::size_t kMaxHtmlDepth = 256;

// Gives the page with the same text in the same elements, but
// - tags have no attributes: a tree builder compares each of a tag's with all others, and repeats formatting elements
//   that differ in them;
// - scripts, styles, <iframe>, <noembed>, comments and doctypes are left out;
// - start tags nested deeper than `max_depth` are spaces, since a tree builder searches its stack of open elements.
//   The depth is overestimated: unclosed formatting counts, although a parser may end it;
// - what <noframes> holds is part of the page;
// - a title without an end tag, or with one more than kMaxTitleBytes away and behind other tags of a page, ends at the
//   first such tag or with its first line that is not blank; further titles without an end lose their tags;
// - of other elements whose content is no markup and that are never closed, scripts and styles end at the first tag of
//   a page, and the others lose their tags: a browser would take the rest of the page for their content;
// - in XHTML, elements that close themselves are empty, and CDATA sections are text. A page is XHTML if `xhtml` says
//   so, by its XML declaration, or by its root's namespace.
// Takes linear time.
std::string cleaned_html(std::string_view html, bool xhtml = false, std::size_t max_depth = kMaxHtmlDepth);

}  // namespace frond::indexer::ingest
