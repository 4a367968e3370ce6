#include "indexer/ingest/records/parse_record.h"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>

#include "common/text/utf8.h"
#include "indexer/ingest/encoding/encoding.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/markup/html.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/raw_record.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

// All factors are tenths: the bytes taken for ten bytes of text.
// The text, its tokens in text order and by collection (up to 2 and 1.4 bytes a byte of text), the fields to store, and
// these compressed. Measured: 3.5 times the text, Chinese 4.4 times.
constexpr std::uint64_t kTextTenths = 48;
// A file of text is converted and copied first, while its markup is taken off. Measured: 3.5 times the file, Markdown 5
// times. In UTF-8 a character may be three times as long (of UTF-16, one and a half times). Of a long file, what grows
// beyond the limit of a document is refused before it is analyzed. NULs in text of one byte a character are removed by
// another copy.
constexpr std::uint64_t kFileTenths = 57, kConvertedTenths = 90, kSmallConvertedTenths = 140, kNulTenths = 10;
constexpr std::size_t kSmallFile = 1 << 20;
// A page: the file, converted, with bounded depth, and its text while that grows.
constexpr std::uint64_t kPageTenths = 50;

// The elements of a page. Measured on a crawl: 200 to 380 bytes for each '<', attributes included; the text is copied.
// A page may take as much again, and small ones more: unclosed elements are reopened in every paragraph.
std::uint64_t tree_cost(std::string_view page) {
  const std::uint64_t spare = std::min<std::uint64_t>(4 << 20, PageArena::kMinBytes + 64 * page.size());
  return spare + 4 * page.size() + 350 * count_of(page, '<') + 150 * count_of(page, '=');
}

// Sums of bytes, which a compiler keeps in vectors; std::count_if() widens each byte to 8 of them.
template <class Wanted>
std::uint64_t count_if(std::string_view bytes, Wanted wanted) {
  constexpr std::size_t kLanes = 64, kRows = 255;  // rows that a lane of 8 bits counts
  std::uint64_t count = 0;
  std::size_t at = 0;
  while (bytes.size() - at >= kLanes) {
    const std::size_t rows = std::min(kRows, (bytes.size() - at) / kLanes);
    std::array<std::uint8_t, kLanes> found{};
    for (std::size_t row = 0; row < rows; ++row, at += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        found[lane] = static_cast<std::uint8_t>(found[lane] + wanted(bytes[at + lane]));
    count = std::accumulate(found.begin(), found.end(), count);
  }
  for (; at < bytes.size(); ++at) count += wanted(bytes[at]);
  return count;
}

}  // namespace

Result<Document> parse_record(const RawRecord& record, const ParseOptions& options) {
  try {
    const SourceFormat& format = *record.format;
    const FieldNames& names = names_or_usual(options.names.get());
    const FieldReading reading{options.schema.get(), options.coerce};
    Document document = FROND_TRY(format.parse(record, {names, options.prior_field, reading}));
    FROND_TRY(finish_document(document, format, options.make_ids, names, reading));
    return document;
  } catch (const std::exception& error) {  // the allocator's, or a parser's
    return Error(Code::kInvalid, std::string("cannot be parsed: ") + error.what());
  }
}

std::uint64_t count_of(std::string_view bytes, char wanted) {
  return count_if(bytes, [wanted](char byte) { return byte == wanted; });
}

std::uint64_t separators_of(std::string_view json) {
  // Braces are brackets but for one bit.
  return count_if(json, [](char byte) {
    const auto without = static_cast<char>(byte & ~0x20);
    return (byte == ',') | (byte == ':') | (without == '[') | (without == ']');
  });
}

std::uint64_t text_cost(std::uint64_t bytes) { return bytes * kTextTenths / 10; }

std::uint64_t form_cost(std::string_view text) {
  // Of the 18 bytes three are in the text; once more while the form is copied as it grows. By how much other characters
  // grow is less than what their tokens would take.
  constexpr std::uint64_t kSquareBytes = 30;
  std::uint64_t squares = 0;  // U+3300 to U+33FF
  for (std::size_t at = 0; (at = text.find('\xe3', at)) != text.npos && ++at < text.size();)
    squares += static_cast<unsigned char>(text[at]) >= 0x8c && static_cast<unsigned char>(text[at]) <= 0x8f;
  return kSquareBytes * squares;
}

ParseCost file_cost(std::string_view bytes, bool page) {
  const std::uint64_t tree = page ? tree_cost(bytes) : 0;
  std::uint64_t tenths = page ? kPageTenths : kFileTenths;
  if (!text::is_utf8(bytes) || bytes.find("\x1b$") != bytes.npos)
    tenths = bytes.size() > kSmallFile ? kConvertedTenths : kSmallConvertedTenths;
  if (bytes.find('\0') != bytes.npos && wide_encoding(bytes).empty()) tenths += kNulTenths;
  return {bytes.size() * tenths / 10 + tree, tree};
}

ParseCost parse_cost(const RawRecord& record) {
  ParseCost cost = record.format->cost(record);
  const std::string_view text = record.text();
  if (record.format->one_encoding && (record.encoding != nullptr || (text.size() > kSmallFile && !text::is_utf8(text))))
    cost.bytes += text.size() * (kConvertedTenths - kFileTenths) / 10;
  return cost;
}

LineRecords::LineRecords(const RawRecord& lines)
    : lines_(lines),
      rest_(std::string_view(lines.bytes).substr(lines.front)),
      readable_end_(lines.bytes.data() + lines.bytes.capacity()),
      record_{.format = lines.format, .file = lines.file, .encoding = lines.encoding} {}

RawRecord* LineRecords::next() {
  while (!rest_.empty()) {
    place_ = next_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    const std::size_t bytes = line.size() + (end != rest_.npos);
    rest_.remove_prefix(bytes);
    next_ = {next_.line + 1, next_.begin + static_cast<std::uint32_t>(bytes)};
    const RecordPlace place = place_of(lines_, place_);
    if (place.number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_blank_line(line)) continue;
    record_.number = place.number;
    record_.offset = place.offset;
    record_.line = line;
    record_.line_slack = static_cast<std::size_t>(readable_end_ - (line.data() + line.size()));
    const ParseCost cost = parse_cost(record_);
    record_.parse_bytes = cost.bytes;
    record_.tree_bytes = cost.tree_bytes;
    return &record_;
  }
  return nullptr;
}

BadRecord bad_record(const RawRecord& record, const Error& error) {
  return {record.file, record.number, record.offset, error.message()};
}

std::string to_string(const BadRecord& bad) {
  std::string text = bad.file + ": ";
  if (bad.number > 0) text += "record " + std::to_string(bad.number) + " at byte " + std::to_string(bad.offset) + ": ";
  return text + bad.reason;
}

}  // namespace frond::indexer::ingest
