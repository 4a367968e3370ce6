#include "common/schema/schema_json.h"

#include <array>
#include <cstdint>
#include <span>

#include "common/schema/nearest_names.h"

namespace frond::schema {
namespace {

constexpr std::array<std::string_view, 3> kMembers = {"fields", "source", "scorer"};
constexpr std::array<std::string_view, 2> kSources = {"stored", "none"};
constexpr std::array<std::string_view, 6> kTextMembers = {"type",         "weight", "positions",
                                                          "field_search", "stored", "analyzer"};
constexpr std::array<std::string_view, 2> kColumnMembers = {"type", "many"};
constexpr std::array<std::string_view, 2> kWeightsMembers = {"type", "scale"};

std::span<const std::string_view> members_of(FieldType type) {
  if (type == FieldType::kText) return kTextMembers;
  if (type == FieldType::kWeights) return kWeightsMembers;
  return kColumnMembers;
}

Error invalid(std::string_view path, const std::string& what) {
  return {Code::kInvalid, std::string(path) + " " + what};
}

// The place of a string among names.
Result<std::size_t> choice(const Json& json, std::string_view path, std::span<const std::string_view> names) {
  const auto* const text = json.as<std::string>();
  if (text == nullptr) return invalid(path, "is " + std::string(json.kind()) + ", not a string");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == *text) return i;
  return invalid(path, "is " + quote(*text) + nearest_hint(*text, names));
}

Result<bool> flag(const Json& json, std::string_view path) {
  const auto* const value = json.as<bool>();
  if (value == nullptr) return invalid(path, "is " + std::string(json.kind()) + ", not true or false");
  return *value;
}

Result<double> number(const Json& json, std::string_view path) {
  if (const auto* whole = json.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* real = json.as<double>()) return *real;
  return invalid(path, "is " + std::string(json.kind()) + ", not a number");
}

// A member but `type` of one field.
Result<void> read_member(const std::string& name, const Json& json, const std::string& path, Field& field) {
  if (name == "many")
    field.many = FROND_TRY(flag(json, path));
  else if (name == "positions")
    field.positions = FROND_TRY(flag(json, path));
  else if (name == "field_search")
    field.field_search = FROND_TRY(flag(json, path));
  else if (name == "stored")
    field.stored = FROND_TRY(flag(json, path));
  else if (name == "scale")
    field.scale = FROND_TRY(number(json, path));
  else if (name == "analyzer") {
    const auto* const text = json.as<std::string>();
    if (text == nullptr || text->empty()) return invalid(path, "is not the name of an analyzer");
    field.analyzer = *text;
  } else if (name == "weight") {
    const auto* const whole = json.as<std::int64_t>();
    if (whole == nullptr || *whole < 1 || *whole > kMaxFieldWeight)
      return invalid(path, "is not a whole number from 1 to " + std::to_string(kMaxFieldWeight));
    field.weight = static_cast<std::uint32_t>(*whole);
  }
  return {};
}

Result<Field> read_field(const std::string& name, const Json& json) {
  const std::string path = member_path("fields", name);
  const auto* const object = json.object();
  if (object == nullptr) return invalid(path, "is " + std::string(json.kind()) + ", not an object with a type");
  Field field;
  field.name = name;
  const Json* type = nullptr;
  for (const auto& member : *object)
    if (member.name == "type") type = &member.value;
  if (type == nullptr) return invalid(path, "has no type");
  field.type = static_cast<FieldType>(FROND_TRY(choice(*type, path + ".type", kFieldTypeNames)));
  const auto members = members_of(field.type);
  for (const auto& member : *object) {
    bool known = false;
    for (const std::string_view one : members) known = known || one == member.name;
    if (!known)
      return invalid(path + "." + member.name, "is no member of a field of type " + std::string(name_of(field.type)) +
                                                   nearest_hint(member.name, members));
    FROND_TRY(read_member(member.name, member.value, path + "." + member.name, field));
  }
  return field;
}

void append_flag(std::string& out, std::string_view name, bool flag) {
  if (flag) out += ",\"" + std::string(name) + "\":true";
}

void append_field(std::string& out, const Field& field) {
  out += json_string(field.name) + ":{\"type\":" + json_string(name_of(field.type));
  append_flag(out, "many", field.many);
  if (field.weight != 1) out += ",\"weight\":" + std::to_string(field.weight);
  append_flag(out, "positions", field.positions);
  append_flag(out, "field_search", field.field_search);
  if (!field.stored) out += ",\"stored\":false";
  if (!field.analyzer.empty()) out += ",\"analyzer\":" + json_string(field.analyzer);
  if (field.scale != 1) out += ",\"scale\":" + text_of(field.scale);
  out += "}";
}

}  // namespace

Result<Schema> parse_schema(std::string_view text) {
  if (text.size() > kMaxSchemaBytes)
    return Error(Code::kInvalid, "the schema has more than " + std::to_string(kMaxSchemaBytes) + " bytes");
  return read_schema(FROND_TRY(parse_json(text)));
}

Result<Schema> read_schema(const Json& json) {
  const auto* const object = json.object();
  if (object == nullptr) return invalid("the schema", "is " + std::string(json.kind()) + ", not an object");
  Schema schema;
  schema.source_stored = true;
  for (const auto& member : *object) {
    if (member.name == "source") {
      schema.source_stored = FROND_TRY(choice(member.value, "source", kSources)) == 0;
    } else if (member.name == "scorer") {
      schema.scorer = static_cast<Scorer>(FROND_TRY(choice(member.value, "scorer", kScorerNames)));
    } else if (member.name == "fields") {
      const auto* const fields = member.value.object();
      if (fields == nullptr) return invalid("fields", "is " + std::string(member.value.kind()) + ", not an object");
      if (fields->size() > kMaxFields)
        return invalid("fields", "has more than " + std::to_string(kMaxFields) + " members");
      for (const auto& field : *fields) schema.fields.push_back(FROND_TRY(read_field(field.name, field.value)));
    } else {
      return invalid(member.name, "is no member of a schema" + nearest_hint(member.name, kMembers));
    }
  }
  FROND_TRY(check(schema));
  return schema;
}

std::string schema_text(const Schema& schema) {
  std::string out = "{\"fields\":{";
  for (const Field& field : schema.fields) {
    if (&field != &schema.fields.front()) out += ",";
    append_field(out, field);
  }
  out += "},\"source\":" + json_string(kSources[schema.source_stored ? 0 : 1]);
  return out + ",\"scorer\":" + json_string(kScorerNames[static_cast<std::size_t>(schema.scorer)]) + "}";
}

}  // namespace frond::schema
