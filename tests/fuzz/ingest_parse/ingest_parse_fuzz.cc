// Any bytes as a record of any format: the first byte says which, the rest is the record. The documents keep what
// document.h and document_fields.h promise, with a schema and without.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/check.h"
#include "common/schema/schema_json.h"
#include "common/text/field_term.h"
#include "common/text/limits.h"
#include "common/text/utf8.h"
#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/parse_record.h"

using namespace frond::indexer::ingest;

namespace {

struct Kind {
  const SourceFormat* format;
  const char* name;
};

// Whole files by their names, then the other formats. The corpus names kinds by their place: '0' is a.txt.
std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const char* const name : {"a.txt", "a.md", "a.html", "a.1", "a"}) kinds.push_back({&kFiles, name});
  for (const SourceFormat* const format : source_formats())
    if (format != &kFiles) kinds.push_back({format, ""});
  return kinds;
}

constexpr std::string_view kSchema =
    R"({"fields":{"title":{"type":"text"},"tag":{"type":"keyword","many":true},"year":{"type":"integer"},)"
    R"("price":{"type":"float"},"at":{"type":"date"},"open":{"type":"boolean"},"notes":{"type":"text"}}})";

// Of learned sparse vectors.
constexpr std::string_view kVectors =
    R"({"fields":{"vector":{"type":"weights","scale":1.5},"text":{"type":"keyword"}},"source":"none","scorer":"impact"})";

void check_weights(const DocumentFields& fields) {
  const std::string* before = nullptr;
  for (const DocumentFields::Weight& weight : fields.weights) {
    FROND_CHECK(weight.impact > 0 && !weight.token.empty() && weight.token.size() <= frond::text::kMaxTermBytes);
    FROND_CHECK(frond::text::is_utf8(weight.token) && !frond::text::is_field_term(weight.token));
    FROND_CHECK(weight.token.find('\0') == weight.token.npos && (before == nullptr || *before < weight.token));
    before = &weight.token;
  }
}

void check_fields(const DocumentFields& fields, const frond::schema::Schema& schema) {
  frond::ByteBuffer record;
  frond::partition::encode_values({fields.columns, {}, {}, fields.source}, record);
  FROND_CHECK(frond::partition::decode_values(record, schema).has_value());
  for (const DocumentFields::Text& text : fields.texts)
    FROND_CHECK(!text.text.empty() && frond::text::is_utf8(text.text));
  FROND_CHECK(!fields.source.empty() && frond::text::is_utf8(fields.source));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::vector<Kind> kinds = all_kinds();
  static const auto columns = std::make_shared<const CsvColumns>(csv_columns("id,url,title,text,year,tag").value());
  const Kind kind = kinds[static_cast<std::uint8_t>(data[0] - '0') % kinds.size()];
  const RawRecord record{.format = kind.format,
                         .file = "f",
                         .name = kind.name,
                         .number = 1,
                         .bytes = std::string(reinterpret_cast<const char*>(data) + 1, size - 1),
                         .columns = columns};
  static const auto schema =
      std::make_shared<const frond::schema::Schema>(frond::schema::parse_schema(kSchema).value());
  ParseOptions with_schema{.make_ids = true, .schema = schema};
  for (const bool coerce : {false, true}) {
    with_schema.coerce = coerce;
    if (const auto parsed = parse_record(record, with_schema)) check_fields(parsed->fields, *schema);
  }
  static const auto vectors =
      std::make_shared<const frond::schema::Schema>(frond::schema::parse_schema(kVectors).value());
  for (const bool coerce : {false, true})
    if (const auto parsed = parse_record(record, {.make_ids = true, .schema = vectors, .coerce = coerce}))
      check_weights(parsed->fields);
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
