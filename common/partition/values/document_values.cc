#include "common/partition/values/document_values.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace frond::partition {
namespace {

// Alternatives of schema::Value as the record has them.
enum class Tag : std::uint8_t { kInteger, kFloat, kBoolean, kText };

void put_value(const schema::Value& value, ByteWriter& out) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    out.put(static_cast<std::uint8_t>(Tag::kInteger));
    out.put(*integer);
  } else if (const auto* const number = std::get_if<double>(&value)) {
    out.put(static_cast<std::uint8_t>(Tag::kFloat));
    out.put(*number);
  } else if (const auto* const truth = std::get_if<bool>(&value)) {
    out.put(static_cast<std::uint8_t>(Tag::kBoolean));
    out.put(static_cast<std::uint8_t>(*truth));
  } else {
    out.put(static_cast<std::uint8_t>(Tag::kText));
    out.put_text(std::get<std::string>(value));
  }
}

schema::Value get_value(ByteReader& in) {
  switch (static_cast<Tag>(in.get<std::uint8_t>())) {
    case Tag::kInteger:
      return in.get<std::int64_t>();
    case Tag::kFloat:
      return in.get<double>();
    case Tag::kBoolean:
      return in.get<std::uint8_t>() != 0;
    default:
      return std::string(in.get_text());
  }
}

}  // namespace

void encode_values(const DocumentValues& values, ByteBuffer& out) {
  if (values.columns.empty() && values.lengths.empty() && values.codes.empty() && values.source.empty()) return;
  ByteWriter writer(out);
  writer.put_varint(values.columns.size());
  for (const auto& column : values.columns) {
    writer.put_varint(column.field);
    writer.put_varint(column.values.size());
    for (const schema::Value& value : column.values) put_value(value, writer);
  }
  writer.put_varint(values.lengths.size());
  for (const auto& length : values.lengths) {
    writer.put_varint(length.field);
    writer.put_varint(length.tokens);
  }
  writer.put_text(as_text(values.codes));
  writer.put_text(values.source);
}

Result<DocumentValues> decode_values(ByteView record, const schema::Schema& schema) {
  DocumentValues values;
  if (record.empty()) return values;
  const auto corrupt = [](const char* what) {
    return Error(Code::kCorrupt, std::string("values of a document: ") + what);
  };
  ByteReader in(record);
  // Ascending, and of the schema.
  std::uint64_t next = 0;
  const auto field_of = [&](bool column) -> std::optional<std::uint32_t> {
    const std::uint64_t field = in.get_varint();
    if (!in.ok() || field < std::exchange(next, field + 1) || field >= schema.fields.size()) return std::nullopt;
    const schema::FieldType type = schema.fields[field].type;
    if (column != schema::is_column(type) || (!column && type != schema::FieldType::kText)) return std::nullopt;
    return static_cast<std::uint32_t>(field);
  };
  const std::uint64_t columns = in.get_varint();
  if (columns > schema.fields.size()) return corrupt("more columns than the schema has");
  for (std::uint64_t i = 0; i < columns; ++i) {
    const auto field = field_of(true);
    const std::uint64_t count = in.get_varint();
    if (!field || count == 0 || count > kMaxValuesOfField) return corrupt("no column of the schema");
    DocumentValues::Column column{*field, {}};
    const schema::Field& described = schema.fields[*field];
    if (count > 1 && !described.many) return corrupt("several values of one");
    for (std::uint64_t j = 0; j < count; ++j) {
      schema::Value value = get_value(in);
      if (!in.ok()) return corrupt("cut off");
      const auto typed = schema::typed_value(described.type, value, schema::Reading::kStrict);
      if (!typed || *typed != value) return corrupt("a value of another type");
      if (j > 0 && !(column.values.back() < value)) return corrupt("values that do not ascend");
      column.values.push_back(std::move(value));
    }
    values.columns.push_back(std::move(column));
  }
  next = 0;
  const std::uint64_t lengths = in.get_varint();
  if (lengths > schema.fields.size()) return corrupt("more lengths than the schema has fields");
  for (std::uint64_t i = 0; i < lengths; ++i) {
    const auto field = field_of(false);
    const std::uint64_t tokens = in.get_varint();
    if (!field || tokens == 0 || tokens > 0xffff'ffff) return corrupt("no length of a text field");
    values.lengths.push_back({*field, static_cast<std::uint32_t>(tokens)});
  }
  values.codes = as_bytes(in.get_text());
  values.source = in.get_text();
  if (!in.ok() || !in.at_end()) return corrupt("cut off, or more behind them");
  return values;
}

}  // namespace frond::partition
