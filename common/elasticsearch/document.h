#pragma once
// Documents on their way in and out: from what a client sends to the record that the indexer's service takes, and back.
// Pure functions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/elasticsearch/mapping.h"
#include "common/schema/value.h"

namespace frond::elasticsearch {

struct PreparedDocument {
  // {"id":…, "COLUMN":[values], …, "_source":{as it came}}: one line of JSON.
  std::string record;
  // With the fields that the document brings, if it brings some: their schema has to be there before the record.
  std::optional<Mapping> mapping = {};
  bool plain = false;            // plain_json() reads it
  std::size_t column_bytes = 0;  // of the column that has most: its values as JSON, and kValueBytes each
};
inline constexpr std::size_t kValueBytes = 16;
inline constexpr std::size_t kMostValueBytes = std::size_t{64} << 20;
// `source`: the JSON object that the client sent, as one line. `most`: bytes of all fields' values as JSON, and
// kValueBytes for each: a value may be in many fields. 400 mapper_parsing_exception, strict_dynamic_mapping_exception.
Expected<PreparedDocument> document_of(const Mapping& mapping, std::string_view id, std::string_view source,
                                       std::size_t most = kMostValueBytes);

// The client's JSON in a record as it is stored; empty: there is none.
std::string_view source_of(std::string_view record);
// The numbers that are kept with a record as it is stored.
struct StoredNumbers {
  std::uint64_t version = 1;
  std::optional<std::uint64_t> seq_no = {};
};
StoredNumbers kept_of(std::string_view record);

// A value as the field's column has it: numbers of its type's width, dates as milliseconds, keywords and text as text.
// Empty: it stands for no value, like null. The error's reason says what is wrong with the value alone.
Expected<std::optional<schema::Value>> value_of(const MappedField& field, const Json& json);
// Whether the field's [ignore_above] keeps it out of the column: a keyword of more characters.
bool is_ignored(const MappedField& field, std::string_view word);
bool is_ignored(const MappedField& field, const schema::Value& value);
// Rounded to 32 bits.
double as_float(double value);

}  // namespace frond::elasticsearch
