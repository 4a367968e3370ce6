// Any bytes as a record of any format: the first byte says which, the rest is the record. The documents keep what
// document.h promises. ingest_file has the records of CSV, which need a header.
#include <cstdint>

#include "common/base/check.h"
#include "common/text/utf8.h"
#include "indexer/ingest/json.h"
#include "indexer/ingest/parse_record.h"
#include "indexer/ingest/text_file.h"
#include "indexer/ingest/trec.h"
#include "indexer/ingest/tsv.h"
#include "indexer/ingest/wikiextractor.h"

using namespace frond::indexer::ingest;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  struct Kind {
    const SourceFormat* format;
    const char* name;
  };
  const Kind kKinds[] = {{&kJsonl, ""},       {&kTsv, ""},      {&kTrec, ""},   {&kFiles, "a.txt"},   {&kFiles, "a.md"},
                         {&kFiles, "a.html"}, {&kFiles, "a.1"}, {&kFiles, "a"}, {&kWikiextractor, ""}};
  const Kind kind = kKinds[(data[0] - '0') % std::size(kKinds)];
  const RawRecord record{kind.format, "f", kind.name,
                         1,           0,   std::string(reinterpret_cast<const char*>(data) + 1, size - 1)};
  const frond::Result<Document> document = parse_record(record, {.make_ids = size % 2 == 1});
  if (!document) {
    FROND_CHECK(!document.error().message().empty());
    return 0;
  }
  FROND_CHECK(!document->id.empty() && document->id.size() <= kMaxIdBytes);
  FROND_CHECK(document->title.size() <= kMaxTitleBytes);
  FROND_CHECK(document->url.size() <= kMaxUrlBytes);
  for (const std::string* field : {&document->id, &document->url, &document->title, &document->body})
    FROND_CHECK(frond::text::is_utf8(*field));
  return 0;
}
