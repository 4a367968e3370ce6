#include "indexer/ingest/format.h"

#include <algorithm>
#include <array>

#include "common/text/analyzer.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer {
namespace {

constexpr std::array<std::string_view, 5> kNamesOfFormats = {"auto", "jsonl", "tsv", "trec", "files"};

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string_view name_of(Format format) { return kNamesOfFormats[static_cast<std::size_t>(format)]; }

std::optional<Format> format_named(std::string_view name) {
  const auto found = std::ranges::find(kNamesOfFormats, name);
  if (found == kNamesOfFormats.end()) return std::nullopt;
  return static_cast<Format>(found - kNamesOfFormats.begin());
}

std::optional<Format> sniff_format(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(kSpaces), head.size()));
  if (head.empty()) return std::nullopt;
  const std::string_view line = first_line(head);
  if (line[0] == '{')
    for (const std::string_view field : {"\"id\"", "\"_id\"", "\"docid\"", "\"contents\""})
      if (line.find(field) != line.npos) return Format::kJsonl;
  if (head.starts_with("<DOC>")) return Format::kTrec;
  const std::size_t tab = line.find('\t');
  if (tab != line.npos && line.substr(0, tab).find_first_of(kSpaces) == line.npos) return Format::kTsv;
  return std::nullopt;
}

bool looks_binary(std::string_view head) {
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    return false;  // UTF-16 and UTF-32 say what they are
  if (head.starts_with(std::string_view("\0\0\xfe\xff", 4))) return false;
  if (head.starts_with("%PDF-") || head.starts_with("%!PS-")) return true;
  std::size_t controls = 0;
  for (const char c : head) {
    if (c == '\0') return true;
    // Overstrikes and escapes of old terminals are text.
    controls +=
        static_cast<unsigned char>(c) < 0x20 && std::string_view("\t\n\r\f\v\b\x1b").find(c) == std::string_view::npos;
  }
  return controls * 50 > head.size();
}

}  // namespace frond::indexer
