#include "leaf/serve/documents/shown_columns.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/partition/values/value_column.h"
#include "common/schema/json.h"

namespace frond::leaf::serve {
namespace {

std::string json_of(schema::FieldType type, const schema::Value& value) {
  return type == schema::FieldType::kDate ? schema::json_string(schema::text_of(type, value))
                                          : schema::json_scalar(value);
}

}  // namespace

Result<std::string> shown_columns(const schema::Schema& schema, const partition::Partition& partition, DocId docid,
                                  std::span<const std::string> names) {
  std::string json = "{";
  const auto member = [&](std::string_view name, std::string_view value) {
    if (json.size() > 1) json += ',';
    json += schema::json_string(name);
    json += ':';
    json += value;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    // Named again it would be read again, as often as a peer likes.
    if (std::ranges::find(names.first(i), name) != names.first(i).end()) continue;
    if (name == "source") {
      const std::string source = FROND_TRY(partition.source(docid));
      if (!source.empty()) member(name, source);
      continue;
    }
    const schema::Field* const field = schema.find(name);
    if (field == nullptr || !schema::is_column(field->type)) continue;
    const auto* const column = partition.column(static_cast<std::uint32_t>(field - schema.fields.data()));
    if (column == nullptr) continue;
    const std::vector<schema::Value> values = column->values_of(docid);
    if (values.empty()) continue;
    if (!field->many) {
      member(name, json_of(field->type, values.front()));
      continue;
    }
    std::string all;
    for (const schema::Value& value : values) all += (all.empty() ? "[" : ",") + json_of(field->type, value);
    member(name, all + "]");
  }
  FROND_TRY(partition.intact());
  return json + "}";
}

}  // namespace frond::leaf::serve
