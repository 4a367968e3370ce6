#pragma once
// Titles that are never closed. A browser takes the rest of the page for the title; a search engine wants the page.
#include <optional>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// The same page with its titles closed; nothing where they are. A title that has no end tag, or one that is more than
// kMaxTitleBytes away and behind other tags of a page, ends at such a tag or with its first line that has something in
// it. Start tags of further titles without an end are blanked out. Linear in the page's length.
std::optional<std::string> with_closed_titles(std::string_view html);

}  // namespace frond::indexer::ingest
