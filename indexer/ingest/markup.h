#pragma once
// Whether a text is HTML, or other markup, told by how it begins.
#include <string_view>

namespace frond::indexer::ingest {

enum class Markup { kNone, kHtml, kXml };

// As browsers tell (WHATWG, MIME Sniffing, 7.1), and more, since pages of real crawls begin with more: white space,
// comments and XML declarations are passed over; then a doctype of HTML or the tag of any common element begins a page.
// After an XML declaration only HTML's doctype and its outermost elements do: what else has one is XML, as is any other
// doctype, and an unknown element that is closed. `head` is a plain_beginning().
Markup markup_of(std::string_view head);

// The same of a file whose name says that it is text or source code, which may begin with a tag: HTML begins with its
// doctype or an outermost element, XML with its declaration or a doctype.
Markup markup_in_text(std::string_view head);

// Whether a page's doctype or outermost element stands in the first KiB, behind something else: a word that the server
// left, a doctype without its first character. For files that are pages by where they come from: other texts quote
// tags.
bool holds_page(std::string_view head);

}  // namespace frond::indexer::ingest
