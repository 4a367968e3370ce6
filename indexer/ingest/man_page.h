#pragma once
// Manual pages (roff with the man or mdoc macros) to text.
#include <string_view>

#include "indexer/ingest/plain_text.h"

namespace frond::indexer::ingest {

// Whether a text is such a page: requests at its beginning, .TH or .Dd or .so among them.
bool looks_like_man_page(std::string_view text);

// Its words, one line a source line or heading. Macros and escapes are stripped, the common special characters printed;
// macro definitions, conditional parts for typesetters and equations are dropped. Not a roff interpreter: registers and
// strings that the page defines have no value. The title is "ls(1) - list directory contents", as far as it is told.
TitledText man_page_to_text(std::string_view utf8);

}  // namespace frond::indexer::ingest
