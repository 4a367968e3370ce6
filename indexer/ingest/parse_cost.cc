#include "indexer/ingest/parse_cost.h"

#include <algorithm>
#include <string_view>

#include "common/text/utf8.h"
#include "indexer/ingest/csv.h"
#include "indexer/ingest/html.h"
#include "indexer/ingest/page_arena.h"
#include "indexer/ingest/text_kind.h"
#include "indexer/ingest/wide_text.h"

namespace frond::indexer::ingest {
namespace {

std::uint64_t count(std::string_view bytes, char wanted) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
}

// A text, and what is made of it one after the other: the tokens in text order and by collection (up to 2 and 1.4 bytes
// a byte of text), the fields to store, these compressed. Measured: 3.5 times the text, Chinese 4.4 times.
constexpr std::uint64_t kTextTenths = 48;
// The same in a file: before that it is converted and copied, while its marks are taken off. Measured: 3.5 times the
// file, Markdown 5 times. In UTF-8 a character may be three times as long (of UTF-16, one and a half times); what grows
// beyond the limit of a document is refused before it is analyzed, which counts where the file is long. Other
// text with NULs is copied without them first.
constexpr std::uint64_t kFileTenths = 57, kConvertedTenths = 90, kSmallConvertedTenths = 140, kNulTenths = 10;
constexpr std::size_t kSmallFile = 1 << 20;
// A page: the file, converted, with bounded depth, and its text while that grows.
constexpr std::uint64_t kPageTenths = 50;
// The longest JSON that is cheap whatever is in it, and what a byte of it takes: a number of one digit and a comma have
// 8 bytes in the index and 32 on the tape.
constexpr std::size_t kSmallJson = 16 << 10;
constexpr std::uint64_t kWorstJson = 24;

std::uint64_t json_cost(std::string_view json) {
  if (json.size() <= kSmallJson) return kWorstJson * json.size();
  std::uint64_t separators = 0;
  for (const char c : {',', ':', '{', '}', '[', ']'}) separators += count(json, c);
  // Each has an index of 4 bytes and 16 on the tape at most, and so has the value behind it.
  return json.size() * kTextTenths / 10 + 40 * separators;
}

// A page's elements. Measured on a crawl: 200 to 380 bytes a '<', attributes included; the text is copied. A page may
// take as much again, and more where it is small: unclosed elements are reopened in every paragraph.
std::uint64_t tree_cost(std::string_view page, std::uint64_t tags) {
  const std::uint64_t spare = std::min<std::uint64_t>(4 << 20, PageArena::kLeastBytes + 64 * page.size());
  return spare + 4 * page.size() + 350 * tags + 150 * count(page, '=');
}

// A row: each field is a string, and they are moved where their vector grows. Quotation marks and separators inside
// them count, too.
std::uint64_t csv_cost(const RawRecord& record) {
  constexpr std::uint64_t kFieldBytes = 2 * sizeof(std::string);
  const char separator = record.columns ? record.columns->separator : ',';
  return record.bytes.size() * kTextTenths / 10 + kFieldBytes * (count(record.bytes, separator) + 1);
}

bool is_page(const RawRecord& record) {
  if (record.format != Format::kFiles) return record.format == Format::kTrec;
  std::string storage;
  const std::string_view head = std::string_view(record.bytes).substr(0, kSniffBytes);
  return text_kind(record.name, plain_beginning(head, storage)) == TextKind::kHtml;
}

ParseCost file_cost(const RawRecord& record) {
  const std::string_view bytes = record.bytes;
  const bool page = is_page(record);
  const std::uint64_t tree = page ? tree_cost(bytes, count(bytes, '<')) : 0;
  std::uint64_t tenths = page ? kPageTenths : kFileTenths;
  if (!text::is_utf8(bytes)) tenths = bytes.size() > kSmallFile ? kConvertedTenths : kSmallConvertedTenths;
  if (bytes.find('\0') != bytes.npos && wide_encoding(bytes).empty()) tenths += kNulTenths;
  return {bytes.size() * tenths / 10 + tree, tree};
}

}  // namespace

ParseCost parse_cost(const RawRecord& record) {
  switch (record.format) {
    case Format::kJsonl:
    case Format::kJson:
      return {json_cost(record.bytes), 0};
    case Format::kTsv:
      return {record.bytes.size() * kTextTenths / 10, 0};
    case Format::kCsv:
      return {csv_cost(record), 0};
    case Format::kTrec:
    case Format::kWikiextractor:
    case Format::kFiles:
    case Format::kAuto:
      break;
  }
  return file_cost(record);
}

}  // namespace frond::indexer::ingest
