#pragma once
// Manual pages (roff with the man or mdoc macros) to text.
#include <string_view>

#include "indexer/ingest/plain_text.h"

namespace frond::indexer::ingest {

// Whether a text is a manual page: it begins with requests, among them .TH, .Dd or .so.
bool looks_like_man_page(std::string_view text);

// The text of a page, one line a source line or heading. Macros and escapes are removed, common special characters
// become their characters; macro definitions, conditional parts for typesetters and equations are dropped. Not a roff
// interpreter: registers and strings that the page defines are empty. The title is "ls(1) - list directory contents",
// or as much of it as the page has.
TitledText man_page_to_text(std::string_view utf8);

}  // namespace frond::indexer::ingest
