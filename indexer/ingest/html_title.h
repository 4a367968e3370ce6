#pragma once
// Closes titles that are never closed. A browser takes the rest of the page as the title; then no text would be left.
#include <optional>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// The page with all titles closed; no value: they are. A title without an end tag, or with one more than
// kMaxTitleBytes away and behind other tags of a page, ends at the first such tag or with its first line that is not
// blank. Start tags of further titles without an end are replaced by spaces. Takes linear time.
std::optional<std::string> with_closed_titles(std::string_view html);

}  // namespace frond::indexer::ingest
