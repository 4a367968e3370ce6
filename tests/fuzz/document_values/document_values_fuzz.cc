// What documents of a collection with a schema have besides, from any bytes: the first byte says what they are. Records
// write and read back the same; columns and token codes that open are safe to use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/partition/values/document_values.h"
#include "common/partition/values/stored_sequences.h"
#include "common/partition/values/token_codes.h"
#include "common/partition/values/value_column.h"
#include "tests/support/random_values.h"

namespace {

using namespace frond;
using namespace frond::partition;

const schema::Schema& all_types() {
  static const schema::Schema schema = support::schema_of_all_types();
  return schema;
}

void read_record(ByteView in) {
  const auto values = decode_values(in, all_types());
  if (!values) return;
  ByteBuffer out;
  encode_values(*values, out);
  const auto again = decode_values(out, all_types());
  FROND_CHECK(again.has_value() && again->columns == values->columns && again->lengths == values->lengths &&
              as_text(again->codes) == as_text(values->codes) && again->source == values->source);
}

void read_codes(ByteView in) {
  const auto codes = TokenCodes::open(in);
  if (!codes) return;
  std::size_t bytes = 0;
  codes->for_each_field([&](const TokenCodes::Field& field) {
    FROND_CHECK(field.codes >= in.data() && field.field < schema::kMaxFields);
    const std::size_t size = std::size_t{field.words} * codes->width();
    FROND_CHECK(size <= static_cast<std::size_t>(in.data() + in.size() - field.codes));
    bytes += size;
  });
  FROND_CHECK(bytes < in.size());
  for (std::uint64_t hash = 1; hash < 20; ++hash)
    FROND_CHECK(codes->code(hash * 0x9e37'79b9'7f4a'7c15) != TokenCodes::kGapCode);
}

void read_column(ByteView in) {
  constexpr schema::FieldType kTypes[] = {schema::FieldType::kKeyword, schema::FieldType::kInteger,
                                          schema::FieldType::kFloat, schema::FieldType::kDate,
                                          schema::FieldType::kBoolean};
  ByteReader reader(in);
  const auto type = kTypes[reader.get<std::uint8_t>() % std::size(kTypes)];
  const std::uint32_t documents = reader.get<std::uint16_t>() % 300;
  const ByteView bytes = reader.get_bytes(reader.left());
  ValueColumn column(type, documents);
  if (!column.put_chunk(0, bytes)) return;
  std::size_t values = 0;
  DocumentBits exists((documents + 63) / 64), any = exists;
  for (DocId docid = 0; docid < documents; ++docid) {
    const auto of_document = column.values_of(docid);
    FROND_CHECK(column.first_key(docid).has_value() == !of_document.empty());
    values += of_document.size();
    column.match_any(of_document, any);
  }
  column.match_exists(exists);
  FROND_CHECK(values == column.values() && exists == any);
  if (type == schema::FieldType::kKeyword) {
    DocumentBits words((documents + 63) / 64);
    column.match_keywords([](std::string_view) { return true; }, words);
    FROND_CHECK(words == exists);
  }
}

void read_chunk_of_codes(ByteView in) {
  const auto chunk = CodesChunk::open(in);
  for (std::uint32_t i = 0; chunk && i < chunk->documents(); ++i) {
    const ByteView record = chunk->record(i);
    FROND_CHECK(record.empty() ||
                (record.data() >= in.data() && record.data() + record.size() <= in.data() + in.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_record(bytes);
      break;
    case 1:
      read_codes(bytes);
      break;
    case 2:
      read_column(bytes);
      break;
    default:
      read_chunk_of_codes(bytes);
  }
  return 0;
}
