#include "common/elasticsearch/mapping.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping_parameters.h"
#include "common/schema/schema_json.h"
#include "common/text/utf8.h"

namespace frond::elasticsearch {
namespace {

constexpr std::size_t kMaxObjectDepth = 20;

// Members of records that are a document's id or body, whatever the schema says.
constexpr std::string_view kOtherUses[] = {"contents", "text", "content", "passage", "pid", "docid", "doc_id"};

ApiError failed(const std::string& reason) {
  return {.type = "mapper_parsing_exception",
          .reason = "Failed to parse mapping [_doc]: " + reason,
          .cause = {{"type", "mapper_parsing_exception"}, {"reason", reason}}};
}

// Null: there is none.
const Json& member_or_null(const Json& json, const std::string& name) {
  static const Json kNone;
  const auto found = json.find(name);
  return found == json.end() ? kNone : *found;
}

// `kept`, of each function: what was there before, in the same place, whose parameters are not checked again.
class FieldReader {
 public:
  explicit FieldReader(Mapping& mapping) : mapping_(mapping) {}

  Expected<void> read(Json& properties, const Json& kept, const std::string& above, std::size_t depth) {
    if (depth > kMaxObjectDepth) return failed("Limit of mapping depth [20] has been exceeded");
    for (auto& [key, json] : properties.items()) {
      const std::string name = above.empty() ? key : above + "." + key;
      if (key.empty()) return failed("field name cannot be an empty string");
      if (!json.is_object()) return failed("Expected map for property [fields] on field [" + name + "]");
      const Json type = json.value("type", Json());
      if (type.is_null() ? json.contains("properties") || json.empty() : type == "object")
        FROND_EXPECT_OK(read_object(json, member_or_null(kept, key), name, depth));
      else if (!type.is_string())
        return failed("No type specified for field [" + name + "]");
      else
        FROND_EXPECT_OK(read_field(json, member_or_null(kept, key), name, name));
    }
    return {};
  }

 private:
  Expected<void> read_object(Json& json, const Json& kept, const std::string& name, std::size_t depth) {
    for (const auto& [key, value] : json.items()) {
      if (key == "properties" || key == "type" || (key == "enabled" && value == true)) continue;
      if (key == "enabled" || key == "dynamic") return not_supported("[" + key + "] of object [" + name + "]");
      return failed("unknown parameter [" + key + "] on mapper [" + name + "] of type [object]");
    }
    mapping_.objects.push_back(name);
    const auto found = json.find("properties");
    if (found == json.end()) return {};
    if (!found->is_object()) return failed("Expected map for property [properties] on field [" + name + "]");
    return read(*found, member_or_null(kept, "properties"), name, depth + 1);
  }

  Expected<void> read_field(Json& json, const Json& kept, const std::string& name, const std::string& path) {
    const std::string type = json.value("type", "");
    const auto known = std::ranges::find(kTypeNames, type);
    if (is_other_type(type)) return not_supported("type [" + type + "] of field [" + name + "]");
    if (known == std::end(kTypeNames))
      return failed("No handler for type [" + type + "] declared on field [" + name + "]");
    MappedField field{.name = name, .path = path};
    field.type = static_cast<Type>(known - std::begin(kTypeNames));
    field.terms_only = field.type == Type::kText && json.value("index_options", Json()) == "docs" &&
                       json.value("norms", Json()) == false;
    field.column = column_name(name, field.terms_only ? Type::kKeyword : field.type);
    if (!schema::is_field_name(field.column)) return not_supported("the long name of field [" + name + "]");
    for (const auto& [key, value] : json.items())
      FROND_EXPECT_OK(read_parameter(key, value, member_or_null(kept, key), field));
    const auto leave_out = [&](const char* key, std::string_view usual) {
      if (json.contains(key) && json[key] == usual) json.erase(key);
    };
    leave_out("format", kUsualDateFormat);
    leave_out("analyzer", "standard");
    mapping_.fields.push_back(std::move(field));
    const auto more = json.find("fields");
    if (more == json.end()) return {};
    if (!more->is_object() || name != path) return failed("expected map for property [fields] on field [" + name + "]");
    for (auto& [key, inner] : more->items()) {
      if (!inner.is_object() || !inner.value("type", Json()).is_string())
        return failed("no type specified for property [" + key + "]");
      FROND_EXPECT_OK(read_field(inner, member_or_null(member_or_null(kept, "fields"), key), name + "." + key, path));
    }
    return {};
  }

  Expected<void> read_parameter(const std::string& key, const Json& value, const Json& kept, MappedField& field) {
    if (key == "type" || key == "fields") return {};
    if (field.type == Type::kCompletion) {
      const bool usual = key.ends_with("analyzer")   ? value == "simple"
                         : key == "max_input_length" ? value == 50
                                                     : key.starts_with("preserve_") && value == true;
      return usual ? Expected<void>()
                   : not_supported("[" + key + "] " + dumped(value).substr(0, 100) + " of field [" + field.name + "]");
    }
    if (key == "null_value" && field.type != Type::kText && value.is_primitive()) {
      field.null_value = value;
      return {};
    }
    if (key == "ignore_above" && field.type == Type::kKeyword && value.is_number_integer() && value >= 0) {
      field.ignore_above = value;
      return {};
    }
    if (key == "format" && field.type == Type::kDate && value.is_string()) {
      if (!is_short_format(value.get_ref<const std::string&>()))
        return failed("[format] of [" + field.name + "] has more than " + std::to_string(kMaxFormatBytes) +
                      " bytes or more than " + std::to_string(kMaxFormatRun) + " of one sign in a row");
      field.format = value;
      return {};
    }
    const bool searches = key == "search_analyzer" || key == "search_quote_analyzer";
    if (field.type == Type::kText && (key == "analyzer" || searches) && value.is_string()) {
      const std::string name = value;
      const auto config = FROND_EXPECT_OK(analyzer_named(mapping_.analysis, name));
      if (!config) return failed("analyzer [" + name + "] has not been configured in mappings");
      if (key == "analyzer") field.analyzer = name;  // its place is before search_analyzer
      if (searches && name != field.analyzer)
        return not_supported("[" + key + "] of field [" + field.name + "] other than its analyzer");
      return {};
    }
    if (field.terms_only && (key == "index_options" || key == "norms")) return {};
    if (field.terms_only && key == "fielddata" && value.is_boolean()) {
      field.fielddata = value;
      return {};
    }
    if (!kept.is_null() && kept == value) return {};
    return check_parameter(key, value, field);
  }

  Mapping& mapping_;
};

// All text of a collection has one analyzer.
Expected<void> take_analyzer(Mapping& mapping) {
  const MappedField* first = nullptr;
  mapping.analyzer = *FROND_EXPECT_OK(analyzer_named(Json::object(), "standard"));
  for (const MappedField& field : mapping.fields) {
    if (field.type != Type::kText) continue;
    const auto config = FROND_EXPECT_OK(analyzer_named(mapping.analysis, field.analyzer));
    if (!config) return failed("analyzer [" + field.analyzer + "] has not been configured in mappings");
    if (first != nullptr && !(*config == mapping.analyzer))
      return not_supported("analyzer [" + field.analyzer + "] of field [" + field.name + "] beside [" +
                           first->analyzer + "] of field [" + first->name + "] in one index");
    mapping.analyzer = *config;
    first = &field;
  }
  return {};
}

Expected<void> read_similarity(const Json& settings, Mapping& mapping) {
  for (const std::string_view path : {"index.similarity.default", "similarity.default"}) {
    const Json* const found = at_path(settings, path);
    if (found == nullptr || !found->is_object()) continue;
    if (found->value("type", Json("BM25")) != "BM25") return not_supported("similarity " + dumped((*found)["type"]));
    // Settings are shown as texts.
    const auto number = [&](const char* name, double absent) {
      const Json value = found->value(name, Json());
      if (value.is_number()) return value.get<double>();
      if (!value.is_string()) return absent;
      const auto& text = value.get_ref<const std::string&>();
      double read = -1;
      std::from_chars(text.data(), text.data() + text.size(), read);
      return read;
    };
    mapping.bm25 = {number("k1", 1.2), number("b", 0.75)};
    if (!(mapping.bm25.k1 >= 0 && mapping.bm25.k1 <= scoring::kMaxK1 && mapping.bm25.b >= 0 && mapping.bm25.b <= 1))
      return illegal_argument("illegal k1 or b of the similarity: k1 is at least 0, b from 0 to 1");
  }
  return {};
}

Expected<void> read_root(const Json& mappings, const Json& kept, Mapping& mapping) {
  if (!mappings.is_object()) return failed("the mapping is no object");
  for (const auto& [key, value] : mappings.items()) {
    if (key == "properties") {
      if (!value.is_object()) return failed("Expected map for property [properties]");
      mapping.shown["properties"].update(value, /*merge_objects=*/true);
    } else if (key == "dynamic") {
      const std::string text = text_in(value);
      if (text != "true" && text != "false" && text != "strict") return not_supported("[dynamic] " + text);
      mapping.dynamic = text == "true" ? Dynamic::kTrue : text == "false" ? Dynamic::kFalse : Dynamic::kStrict;
      mapping.shown["dynamic"] = text;
    } else if (key == "_meta") {
      mapping.shown["_meta"] = value;
    } else if ((key == "numeric_detection" && value == false) || (key == "date_detection" && value == true)) {
      mapping.shown[key] = value;  // as without it
    } else if (key == "_source" || key == "numeric_detection" || key == "date_detection" ||
               key == "dynamic_templates" || key == "dynamic_date_formats" || key == "_routing" || key == "runtime") {
      return not_supported("[" + key + "] of a mapping");
    } else {
      return failed("Root mapping definition has unsupported parameters:  [" + key + " : " + dumped(value) + "]");
    }
  }
  mapping.fields.clear();
  mapping.objects.clear();
  if (mapping.shown.contains("properties"))
    FROND_EXPECT_OK(FieldReader(mapping).read(mapping.shown["properties"], member_or_null(kept, "properties"), "", 1));
  if (mapping.fields.size() > schema::kMaxFields)
    return illegal_argument("Limit of total fields [" + std::to_string(schema::kMaxFields) + "] has been exceeded");
  return take_analyzer(mapping);
}

schema::FieldType column_type(const MappedField& field) {
  switch (field.type) {
    case Type::kText:
      return field.terms_only ? schema::FieldType::kKeyword : schema::FieldType::kText;
    case Type::kKeyword:
    case Type::kCompletion:
      return schema::FieldType::kKeyword;
    case Type::kBoolean:
      return schema::FieldType::kBoolean;
    case Type::kDate:
      return schema::FieldType::kDate;
    default:
      return is_whole(field.type) ? schema::FieldType::kInteger : schema::FieldType::kFloat;
  }
}

}  // namespace

const Json* at_path(const Json& json, std::string_view path) {
  if (!json.is_object()) return nullptr;
  if (const auto whole = json.find(std::string(path)); whole != json.end()) return &*whole;
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    const auto inner = json.find(std::string(path.substr(0, dot)));
    if (inner == json.end()) continue;
    if (const Json* const found = at_path(*inner, path.substr(dot + 1))) return found;
  }
  return nullptr;
}

const MappedField* Mapping::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &MappedField::name);
  return found == fields.end() ? nullptr : &*found;
}
bool Mapping::is_object(std::string_view name) const { return std::ranges::find(objects, name) != objects.end(); }

Expected<Mapping> read_mapping(const Json& settings, const Json& mappings, Origin origin) {
  return typed([&]() -> Expected<Mapping> {
    Mapping mapping;
    for (const std::string_view path : {"index.analysis", "analysis"})
      if (const Json* const analysis = at_path(settings, path)) mapping.analysis = *analysis;
    FROND_EXPECT_OK(read_similarity(settings, mapping));
    FROND_EXPECT_OK(read_root(mappings.is_null() ? Json::object() : mappings,
                              origin == Origin::kKept ? mappings : Json::object(), mapping));
    return mapping;
  });
}

const Json* kept_index(const Json& metadata) {
  const Json* at = &metadata;
  for (const char* name : {"metadata", "elasticsearch"}) {
    const auto found = at->is_object() ? at->find(name) : at->end();
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at->is_object() ? at : nullptr;
}

Expected<Mapping> extended(const Mapping& mapping, const Json& mappings) {
  return typed([&]() -> Expected<Mapping> {
    Mapping wanted = mapping;
    FROND_EXPECT_OK(read_root(mappings, mapping.shown, wanted));
    for (const MappedField& old : mapping.fields) {
      const MappedField* const now = wanted.find(old.name);
      if (now == nullptr || now->type != old.type)
        return illegal_argument("mapper [" + old.name + "] cannot be changed from type [" +
                                std::string(name_of(old.type)) + "] to [" +
                                (now == nullptr ? "object" : std::string(name_of(now->type))) + "]");
      const std::string_view changed = now->analyzer != old.analyzer       ? "analyzer"
                                       : now->format != old.format         ? "format"
                                       : now->terms_only != old.terms_only ? "index_options"
                                                                           : "";
      if (!changed.empty())
        return illegal_argument("Mapper for [" + old.name +
                                "] conflicts with existing mapper:\n\tCannot update parameter [" +
                                std::string(changed) + "]");
    }
    return wanted;
  });
}

schema::Schema schema_of(const Mapping& mapping) {
  schema::Schema schema;
  schema.source_stored = true;
  for (const MappedField& field : mapping.fields) {
    schema::Field& made = schema.fields.emplace_back();
    made.name = field.column;
    made.type = column_type(field);
    made.many = !field.has_positions();
    if (!field.has_positions()) continue;
    made.positions = made.field_search = true;
  }
  return schema;
}

std::string collection_settings(const Mapping& mapping) {
  const text::AnalyzerConfig& analyzer = mapping.analyzer;
  Json settings = {{"analyzer", text::name_of(analyzer.kind)},
                   {"stemmer", text::name_of(analyzer.stemmer)},
                   {"stop_words", analyzer.stop_words.are_english() ? "on"
                                  : analyzer.stop_words.are_none()  ? "off"
                                                                    : std::string(analyzer.stop_words.name())},
                   {"fold_accents", analyzer.fold_accents},
                   {"split_case", analyzer.split_case},
                   {"k1", mapping.bm25.k1},
                   {"b", mapping.bm25.b}};
  std::string text = dumped(settings);
  text.pop_back();
  return text + ",\"schema\":" + schema::schema_text(schema_of(mapping)) + "}";
}

std::string column_name(std::string_view name, Type type) {
  const bool own_text = name == "title" || name == "body";  // which documents have, as text
  const bool other = std::ranges::find(kOtherUses, name) != std::end(kOtherUses) || name.starts_with("f.");
  if (own_text ? type == Type::kText : schema::is_field_name(name) && !other) return std::string(name);
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "f.";
  for (const char c : name) {
    if (text::is_ascii_letter_or_digit(c) || c == '_' || c == '.') {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.append("-").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out;
}

}  // namespace frond::elasticsearch
