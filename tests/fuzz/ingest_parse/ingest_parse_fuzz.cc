// Any bytes as a record of any format: the first byte says which, the rest is the record. What comes out is as
// document.h promises. Records of CSV come from files, in ingest_file.
#include <cstdint>

#include "common/base/check.h"
#include "common/text/utf8.h"
#include "indexer/ingest/record_reader.h"

using frond::indexer::ingest::Document;
using frond::indexer::ingest::Format;
using frond::indexer::ingest::RawRecord;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  struct Kind {
    Format format;
    const char* name;
  };
  constexpr Kind kKinds[] = {{Format::kJsonl, ""},      {Format::kTsv, ""},       {Format::kTrec, ""},
                             {Format::kFiles, "a.txt"}, {Format::kFiles, "a.md"}, {Format::kFiles, "a.html"},
                             {Format::kFiles, "a.1"},   {Format::kFiles, "a"},    {Format::kWikiextractor, ""}};
  const Kind kind = kKinds[(data[0] - '0') % std::size(kKinds)];
  const RawRecord record{kind.format, "f", kind.name,
                         1,           0,   std::string(reinterpret_cast<const char*>(data) + 1, size - 1)};
  const frond::Result<Document> document = frond::indexer::ingest::parse_record(record, {.make_ids = size % 2 == 1});
  if (!document) {
    FROND_CHECK(!document.error().message().empty());
    return 0;
  }
  FROND_CHECK(!document->id.empty() && document->id.size() <= frond::indexer::ingest::kMaxIdBytes);
  FROND_CHECK(document->title.size() <= frond::indexer::ingest::kMaxTitleBytes);
  FROND_CHECK(document->url.size() <= frond::indexer::ingest::kMaxUrlBytes);
  for (const std::string* field : {&document->id, &document->url, &document->title, &document->body})
    FROND_CHECK(frond::text::is_utf8(*field));
  return 0;
}
