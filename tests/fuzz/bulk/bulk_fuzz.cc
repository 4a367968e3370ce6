// Any bytes as the body of _bulk: items, or an error in Elasticsearch's shape; then each document by a mapping that it
// may extend. A record that is logged without another look can be indexed.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "broker/elasticsearch/documents/bulk.h"
#include "broker/elasticsearch/documents/partial_document.h"
#include "common/base/check.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/write/mapped_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace es = frond::broker::elasticsearch;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto items = es::parse_bulk(body, "index", /*require_alias=*/false);
  if (!items) {
    FROND_CHECK(items.error().status >= 400 && items.error().status < 500 && !items.error().type.empty());
    FROND_CHECK(es::Json::accept(es::response_of(items.error()).body));
    return 0;
  }
  FROND_CHECK(!items->empty() && items->size() <= es::kMaxBulkItems);
  es::Mapping mapping = *es::read_mapping(nullptr, nullptr);
  for (const es::BulkItem& item : *items) {
    if (item.change.kind == es::DocumentChange::Kind::kDelete) continue;
    if (item.change.kind == es::DocumentChange::Kind::kUpdate) {
      const std::string now = R"({"a":{"b":1},"c":[2]})";
      (void)es::merged_source(&now, item.change.source, "index", item.change.id);
      continue;
    }
    auto document = es::document_of(mapping, "1", item.change.source);
    if (!document) continue;
    FROND_CHECK(document->record.find('\n') == std::string::npos);
    FROND_CHECK(es::source_of(document->record) == item.change.source || !es::source_of(document->record).empty());
    if (document->mapping) mapping = *document->mapping;
    if (!frond::indexer::write::needs_no_check(*document, "1")) continue;
    const auto schema = std::make_shared<const frond::schema::Schema>(es::schema_of(mapping));
    frond::indexer::ingest::RawRecord record;
    record.format = &frond::indexer::ingest::kJsonl;
    record.bytes = document->record;
    FROND_CHECK(frond::indexer::ingest::parse_record(record, {.schema = schema}));
  }
  return 0;
}
