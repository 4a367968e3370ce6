#include <simdjson.h>

#include "indexer/ingest/parsers.h"

namespace frond::indexer::ingest {
namespace {

// MS MARCO's documents: behind the id URL, title and text, and no more. False: it is something else.
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

}  // namespace

Result<Document> parse_tsv(const RawRecord& record) {
  const std::string_view line = record.bytes;
  const std::size_t tab = line.find('\t');
  if (tab == line.npos) return Error(Code::kInvalid, "no tab behind the id");
  if (!simdjson::validate_utf8(line.data(), line.size())) return Error(Code::kInvalid, "not valid UTF-8");
  Document document;
  document.id = line.substr(0, tab);
  const std::string_view rest = line.substr(tab + 1);
  if (take_web_columns(rest, document)) return document;
  document.body = rest;
  return document;
}

}  // namespace frond::indexer::ingest
