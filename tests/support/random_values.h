#pragma once
// Documents of a collection with a schema, made up: values of all types, lengths, words in their order, sources.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "common/partition/values/document_values.h"
#include "common/partition/values/token_codes.h"
#include "common/schema/schema_json.h"

namespace frond::support {

// Fields of every type; 'title' and 'name' have lists of their own.
inline schema::Schema schema_of_all_types() {
  return schema::parse_schema(R"({"fields": {
    "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
    "body": {"type": "text", "positions": true}, "tags": {"type": "keyword", "many": true},
    "lang": {"type": "keyword"}, "year": {"type": "integer"}, "sizes": {"type": "integer", "many": true},
    "price": {"type": "float"}, "published": {"type": "date"}, "open": {"type": "boolean"},
    "name": {"type": "text", "field_search": true}}, "source": "stored"})")
      .value();
}

inline std::string hex_of(ByteView bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : bytes) {
    hex.push_back(kDigits[static_cast<unsigned>(byte) >> 4]);
    hex.push_back(kDigits[static_cast<unsigned>(byte) & 15]);
  }
  return hex;
}

inline schema::Value random_value(schema::FieldType type, std::mt19937& random) {
  switch (type) {
    case schema::FieldType::kKeyword:
      return std::string(random() % 20 == 0 ? "" : "k" + std::to_string(random() % 300));
    case schema::FieldType::kFloat:
      return static_cast<double>(static_cast<int>(random() % 2000) - 1000) / 8;
    case schema::FieldType::kBoolean:
      return random() % 2 == 0;
    default:
      return static_cast<std::int64_t>(random() % 5000) - 2500;
  }
}

// Values of a field, ascending and distinct; none in a quarter of documents.
inline std::vector<schema::Value> random_values(const schema::Field& field, std::mt19937& random) {
  std::vector<schema::Value> values;
  const std::size_t count = random() % 4 == 0 ? 0 : field.many ? random() % 6 : 1;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random_value(field.type, random));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

inline ByteBuffer random_record(const schema::Schema& schema, std::mt19937& random) {
  partition::DocumentValues values;
  partition::TokenCodesWriter words;
  words.begin_document();
  for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
    const schema::Field& one = schema.fields[field];
    if (schema::is_column(one.type)) {
      if (auto some = random_values(one, random); !some.empty()) values.columns.push_back({field, std::move(some)});
      continue;
    }
    const std::uint32_t tokens = random() % 3 == 0 ? 0 : static_cast<std::uint32_t>(random() % 40);
    if (one.field_search && tokens > 0) values.lengths.push_back({field, tokens});
    if (!one.positions) continue;
    words.begin_field(field);
    for (std::uint32_t i = 0; i < tokens; ++i) {
      if (random() % 8 == 0)
        words.add_gap();
      else
        words.add(partition::term_hash(std::to_string(random() % 100)));
    }
  }
  ByteBuffer codes;
  words.finish(codes);
  values.codes = codes;
  const std::string source = !schema.source_stored || random() % 5 == 0
                                 ? ""
                                 : "{\"n\":" + std::to_string(random()) + std::string(random() % 80, ' ') + "}";
  values.source = source;
  ByteBuffer record;
  encode_values(values, record);
  return record;
}

}  // namespace frond::support
