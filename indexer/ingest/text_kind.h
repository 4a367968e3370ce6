#pragma once
// The kind of a file of text, recognised by its name and its beginning.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

enum class TextKind { kPlain, kMarkdown, kHtml, kXml };

// `path`: a name or a whole path; `head` is a plain_beginning(). Manual pages are kPlain: looks_like_man_page()
// recognises them.
TextKind text_kind(std::string_view path, std::string_view head);

// The last component of a path, without the ending of a compressed file.
std::string_view file_name(std::string_view path);
// Whether a file_name() has an ending such as ".csv", in any case.
bool has_suffix(std::string_view path, std::string_view suffix);

}  // namespace frond::indexer::ingest
