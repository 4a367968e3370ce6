#pragma once
// The source formats there are, and how one is told from its first bytes.
#include <cstdint>
#include <optional>
#include <string_view>

namespace frond::indexer {

enum class Format : std::uint8_t {
  kAuto,   // told from the content; never the format of a record
  kJsonl,  // one JSON object a line
  kTsv,    // id, tab, text: one document a line
  kTrec,   // <DOC> … </DOC>, of TREC's text and web collections
  kFiles,  // one document a file: text, Markdown, HTML, man pages
};

// The values of --format.
inline constexpr std::string_view kFormatNames = "auto|jsonl|tsv|trec|files";
std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);

// The format of decompressed content that starts with `head`: jsonl (its first line opens an object with a known
// field), trec (<DOC> comes first) or tsv (a tab in its first line, with something before it); else nothing.
std::optional<Format> sniff_format(std::string_view head);

// Neither text in a known encoding nor worth a document: pictures, archives, programs.
bool looks_binary(std::string_view head);

}  // namespace frond::indexer
