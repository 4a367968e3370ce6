// Any bytes as the body of _bulk: items, or an error in Elasticsearch's shape; then each document by a mapping that it
// may extend.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broker/elasticsearch/bulk.h"
#include "broker/elasticsearch/document.h"
#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/mapping.h"
#include "broker/elasticsearch/partial_document.h"
#include "common/base/check.h"

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
  }
  return 0;
}
