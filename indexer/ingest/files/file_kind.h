#pragma once
// What a file holds, recognised by its name and its first bytes: text of some kind, or none.
#include <optional>
#include <string_view>

#include "indexer/ingest/files/skipped.h"

namespace frond::indexer::ingest {

// The kind of a file whose first bytes are the signature of a format: archives, pictures, PDF, programs. No value: it
// may be text. `head` needs 512 bytes.
std::optional<SkipReason> known_kind(std::string_view head);

// For a file of no known kind: its kind if it is hardly text, since more than one in 50 of its first 8 Ki characters is
// a control character. NULs count, except before and after the content. UTF-16 and UTF-32 are text.
std::optional<SkipReason> binary_kind(std::string_view head);

// Why a file is skipped that is called by a format of which it has no record.
SkipReason kind_without_records(std::string_view head);

enum class TextKind { kPlain, kMarkdown, kHtml, kXml };

// `path`: a name or a whole path; `head` is a plain_beginning(). Manual pages are kPlain: looks_like_man_page()
// recognises them.
TextKind text_kind(std::string_view path, std::string_view head);

// The last component of a path, without the ending of a compressed file.
std::string_view file_name(std::string_view path);
// Whether a file_name() has an ending such as ".csv", in any case.
bool has_suffix(std::string_view path, std::string_view suffix);

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
