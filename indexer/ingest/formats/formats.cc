#include "indexer/ingest/formats/formats.h"

#include <algorithm>
#include <array>

#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

// The table.
constexpr std::array kFormats = {
    &kJsonl,          // one JSON object a line
    &kJson,           // JSON objects, in an array or one after the other
    &kTsv,            // id, tab, text: one document a line
    &kCsv,            // rows below a header that names the columns
    &kTrec,           // <DOC> … </DOC>, of TREC's text and web collections
    &kWikiextractor,  // <doc id="…" …> … </doc>
    &kFiles,          // one document a file: text, Markdown, HTML, manual pages
    &kWarc,           // web archives
    &kWiki,           // MediaWiki's XML export
    &kArc,            // web archives of the format before WARC
};

// The formats in the order in which they are asked.
std::array<const SourceFormat*, kFormats.size()> by_evidence() {
  auto formats = kFormats;
  std::ranges::stable_sort(formats, {}, &SourceFormat::evidence);
  return formats;
}

}  // namespace

std::span<const SourceFormat* const> source_formats() { return kFormats; }

std::size_t index_of(const SourceFormat& format) {
  return static_cast<std::size_t>(std::ranges::find(kFormats, &format) - kFormats.begin());
}

std::string format_names() {
  std::string names(kAutoFormat);
  for (const SourceFormat* const format : kFormats) names.append("|").append(format->name);
  return names;
}

std::optional<const SourceFormat*> format_named(std::string_view name) {
  if (name == kAutoFormat) return nullptr;
  const auto found = std::ranges::find(kFormats, name, &SourceFormat::name);
  if (found == kFormats.end()) return std::nullopt;
  return *found;
}

std::variant<const SourceFormat*, SkipReason> tell_format(const Beginning& file, const SourceFormat* wanted) {
  if (const auto kind = known_kind(file.bytes);
      kind && !(kind == SkipReason::kWarc && (!wanted || wanted == &kWarc || wanted == &kArc)))
    return *kind;
  std::string storage;
  const std::string_view text = without_spaces(plain_beginning(file.bytes, storage));
  if (text.empty() && file.whole) return SkipReason::kEmpty;
  if (wanted && !wanted->whole_file) return wanted;
  Beginning head = file;
  head.text = text;
  static const auto asked = by_evidence();
  for (const SourceFormat* const format : asked) {
    if (wanted && wanted != format) continue;
    const Sniffed sniffed = format->sniff(head);
    if (!sniffed.claimed) continue;
    if (sniffed.skip_because) return *sniffed.skip_because;
    // Records are cut from bytes as they are.
    if (!format->whole_file && !wide_encoding(file.bytes).empty()) return SkipReason::kWideRecords;
    return format;
  }
  return SkipReason::kBinary;  // not reached: kFiles claims everything
}

}  // namespace frond::indexer::ingest
