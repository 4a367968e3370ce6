#pragma once
// What a file of text is, told by its name and by how it begins.
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

enum class TextKind { kPlain, kMarkdown, kHtml, kXml };

// `path` may be a whole one; `head` is a plain_beginning(). Manual pages are plain here: their content tells them.
TextKind text_kind(std::string_view path, std::string_view head);

// The last component of a path, without the ending that tells how it was compressed.
std::string_view file_name(std::string_view path);
// Whether a file's name, compressed or not and in any case, ends so: ".csv".
bool has_suffix(std::string_view path, std::string_view suffix);

}  // namespace frond::indexer::ingest
