#pragma once
// The source formats there are, and how a file's is told from its name and its first bytes.
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

enum class Format : std::uint8_t {
  kAuto,           // told file by file; never the format of a record
  kJsonl,          // one JSON object a line
  kJson,           // JSON objects, in an array or one after the other
  kTsv,            // id, tab, text: one document a line
  kCsv,            // rows below a header that names the columns
  kTrec,           // <DOC> … </DOC>, of TREC's text and web collections
  kWikiextractor,  // <doc id="…" …> … </doc>
  kFiles,          // one document a file: text, Markdown, HTML, man pages
};
inline constexpr std::size_t kFormats = 8;

// The values of --format.
inline constexpr std::string_view kFormatNames = "auto|jsonl|json|tsv|csv|trec|wikiextractor|files";
std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);

// How much of a file is looked at.
inline constexpr std::size_t kSniffBytes = 64 << 10;

// How a file begins.
struct Beginning {
  std::string_view path;   // the name counts
  std::string_view bytes;  // decompressed, the first kSniffBytes at least, or all
  bool whole = false;      // they are all
  bool in_folder = false;  // not an input of its own
  bool among_tsv = false;  // in a folder that is_folder_of_tsv()
};

// What is read of a file: records of a format, or nothing for a reason.
//
// With `wanted` other than kAuto the format is that one, but for what holds no text. With kAuto, in this order: JSON
// objects, TREC, wikiextractor; CSV and TSV; text, in kFiles. Inside a folder, where most files are documents, JSON has
// to have a field of text, and CSV or TSV a name that says so.
std::variant<Format, SkipReason> tell_format(const Beginning& file, Format wanted);

// Whether this beginning of a file is that of TSV: nearly all lines have an id of no spaces, a tab, and something else.
bool looks_like_tsv(std::string_view beginning);

}  // namespace frond::indexer::ingest
