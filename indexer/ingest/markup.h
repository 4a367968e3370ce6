#pragma once
// Whether a text is HTML or other markup, recognised by its beginning.
#include <string_view>

namespace frond::indexer::ingest {

enum class Markup { kNone, kHtml, kXml };

// As browsers do (WHATWG, MIME Sniffing, 7.1), and more, for the pages of real crawls: white space, comments and XML
// declarations are passed over; then HTML's doctype or the tag of any common element begins a page. After an XML
// declaration only HTML's doctype and outermost elements begin one; anything else is XML. So is any other doctype, and
// an unknown element that is closed. `head` is a plain_beginning().
Markup markup_of(std::string_view head);

// The same for a file whose name says that it is text or source code, which may begin with a tag: only its doctype or
// an outermost element begins HTML, only its declaration or a doctype XML.
Markup markup_in_text(std::string_view head);

// Whether a page's doctype or outermost element is in the first KiB, behind something else: a word that the server
// left, a doctype without its first character. Only for files that are probably pages, since other texts may quote
// tags.
bool holds_page(std::string_view head);

}  // namespace frond::indexer::ingest
