#pragma once
// The source formats there are, and how a file's format is recognised from its name and its first bytes.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "indexer/ingest/source_format.h"

namespace frond::indexer::ingest {

// The order is fixed: reports list formats in it.
std::span<const SourceFormat* const> source_formats();
// The place of a format in source_formats().
std::size_t index_of(const SourceFormat& format);

// The value of --format that has each file's format recognised. In the program it is a null pointer.
inline constexpr std::string_view kAutoFormat = "auto";
// The values of --format: "auto|jsonl|…".
std::string format_names();
// No value: there is no such format.
std::optional<const SourceFormat*> format_named(std::string_view name);

// The format of a file, or why the file is skipped.
//
// If `wanted` is not null, files are of that format unless their first bytes show that they hold no text. Otherwise the
// formats are asked in the order of their evidence. Most files of a folder are documents, so in a folder JSON needs a
// field of text, and CSV or TSV a name that says so.
std::variant<const SourceFormat*, SkipReason> tell_format(const Beginning& file, const SourceFormat* wanted);

}  // namespace frond::indexer::ingest
