#pragma once
// References to characters: "&amp;", "&#233;", "&#xe9;".
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

enum class ReferenceNames {
  kXml,   // amp, lt, gt, quot, apos
  kHtml,  // also the names of HTML 4
};
// Takes the reference that `text` begins with, or else its '&', and appends the character in UTF-8. References to what
// is no character give U+FFFD; unknown names stay as they are. HTML's take no character without its semicolon, either.
void take_reference(std::string_view& text, ReferenceNames names, std::string& out);
// The text with all of them replaced.
std::string without_references(std::string_view text, ReferenceNames names);

}  // namespace frond::indexer::ingest
