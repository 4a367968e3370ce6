#include <simdjson.h>

#include "indexer/ingest/parsers.h"

namespace frond::indexer {

Result<Document> parse_tsv(const RawRecord& record) {
  const std::string_view line = record.bytes;
  const std::size_t tab = line.find('\t');
  if (tab == line.npos) return Error(Code::kInvalid, "no tab behind the id");
  if (!simdjson::validate_utf8(line.data(), line.size())) return Error(Code::kInvalid, "not valid UTF-8");
  Document document;
  document.id = line.substr(0, tab);
  document.body = line.substr(tab + 1);
  FROND_TRY(check_id(document.id));
  return document;
}

}  // namespace frond::indexer
