#include <algorithm>

#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/files/file_kind.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/record_cutter.h"

namespace frond::indexer::ingest {
namespace {

// Whether a line has the columns of MS MARCO, or an id and text.
bool is_known_tsv(std::string_view line) {
  const auto tabs = std::ranges::count(line, '\t');
  if (tabs == 1) return true;
  const std::string_view second = line.substr(std::min(line.find('\t') + 1, line.size()));
  return tabs == 3 && (second.starts_with("http://") || second.starts_with("https://"));
}

// In a folder, only files whose name says that they are TSV, and folders of nothing else.
Sniffed sniff_tsv(const Head& head) {
  if (has_suffix(head.file.path, ".tsv") || has_suffix(head.file.path, ".tab")) {
    const std::size_t tab = head.text.find('\t');
    if (tab == head.text.npos) return {true, kind_without_records(head.file.bytes)};
    // Lines before the first one with a tab are bad records.
    const std::string_view line = first_line(head.text.substr(head.text.substr(0, tab).rfind('\n') + 1));
    if (!head.file.in_folder || is_known_tsv(line)) return {true, {}};
    return {true, SkipReason::kColumns};
  }
  return {(!head.file.in_folder || head.file.among_tsv) && looks_like_tsv(head.text), {}};
}

// The columns of MS MARCO's documents behind the id: URL, title and text. False: these are others.
bool take_web_columns(std::string_view rest, Document& document) {
  if (!rest.starts_with("http://") && !rest.starts_with("https://")) return false;
  const std::size_t url = rest.find('\t');
  const std::size_t title = url == rest.npos ? url : rest.find('\t', url + 1);
  if (title == rest.npos || rest.find('\t', title + 1) != rest.npos) return false;
  document.url = rest.substr(0, url);
  document.title = rest.substr(url + 1, title - url - 1);
  document.body = rest.substr(title + 1);
  return true;
}

Result<Document> parse_tsv(const RawRecord& record) {
  std::string storage;
  const std::string_view line = FROND_TRY(utf8_of_record(record, storage));
  const std::size_t tab = line.find('\t');
  if (tab == line.npos) return Error(Code::kInvalid, "no tab behind the id");
  Document document;
  document.not_utf8 = !storage.empty();
  document.id = line.substr(0, tab);
  const std::string_view rest = line.substr(tab + 1);
  if (take_web_columns(rest, document)) return document;
  document.body = rest;
  return document;
}

ParseCost tsv_cost(const RawRecord& record) { return {text_cost(record.text().size()), 0}; }

}  // namespace

bool looks_like_tsv(std::string_view beginning) {
  std::size_t lines = 0, fitting = 0;
  for (constexpr std::size_t kLines = 100; !beginning.empty() && lines < kLines;) {
    const bool ended = beginning.find('\n') != beginning.npos;
    const std::string_view line = take_line(beginning);
    if (line.empty() || (!ended && lines > 0)) continue;
    const std::size_t tab = line.find('\t');
    ++lines;
    fitting += tab != line.npos && tab > 0 && line.substr(0, tab).find_first_of(kSpaces) == line.npos;
  }
  return lines > 0 && fitting * 10 >= lines * 9;
}

constinit const SourceFormat kTsv = {
    .name = "tsv",
    .evidence = Evidence::kLines,
    .one_encoding = true,
    .sniff = sniff_tsv,
    .cut = line_cutter,
    .parse = parse_tsv,
    .cost = tsv_cost,
};

}  // namespace frond::indexer::ingest
