#include "broker/elasticsearch/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "broker/elasticsearch/date_format.h"
#include "broker/elasticsearch/json_body.h"
#include "common/schema/json.h"

namespace frond::broker::elasticsearch {
namespace {

using Found = std::optional<schema::Value>;

constexpr std::string_view kSourceName = ",\"_source\":";
constexpr std::string_view kMetadata[] = {"_id", "_source", "_index", "_type", "_routing", "_ignored"};

ApiError mapper_parsing(std::string reason) {
  return {.type = "mapper_parsing_exception", .reason = std::move(reason)};
}

Expected<Found> whole(Type type, double number) {
  constexpr std::array<double, 4> kEnds = {9223372036854775808.0, 2147483648.0, 32768.0, 128.0};
  const double end = kEnds[static_cast<std::size_t>(type) - static_cast<std::size_t>(Type::kLong)],
               cut = std::trunc(number);
  if (!(cut >= -end && cut < end))
    return illegal_argument("Value [" + schema::text_of(number) + "] is out of range for a " +
                            std::string(name_of(type)));
  return Found(static_cast<std::int64_t>(cut));
}

Expected<Found> number_of(Type type, const Json& json) {
  double number = 0;
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > 0x7fffffffffffffff)) {
    if (type == Type::kLong) return Found(json.get<std::int64_t>());
    number = static_cast<double>(json.get<std::int64_t>());
  } else if (json.is_number()) {
    number = json;
  } else if (json.is_string()) {
    std::string_view digits = json.get_ref<const std::string&>();
    if (digits.empty()) return Found();
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const char* const end = digits.data() + digits.size();
    std::int64_t integer = 0;
    const auto as_integer = std::from_chars(digits.data(), end, integer);
    if (type == Type::kLong && as_integer.ec == std::errc() && as_integer.ptr == end) return Found(integer);
    const auto read = std::from_chars(digits.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
      return ApiError{.type = "number_format_exception",
                      .reason = "For input string: \"" + json.get<std::string>().substr(0, 200) + "\""};
  } else {
    return illegal_argument("the value is not numeric");
  }
  if (is_whole(type)) return whole(type, number);
  if (type == Type::kFloat) number = as_float(number);
  if (!std::isfinite(number))
    return illegal_argument("[" + std::string(name_of(type)) + "] supports only finite values");
  return Found(number + 0.0);
}

Expected<Found> date_of(const MappedField& field, const Json& json) {
  if (!json.is_string() && !json.is_number()) return illegal_argument("the value is not a date");
  const std::string text = json.is_string() ? json.get<std::string>() : dumped(json);
  const auto ms = parse_date(text, field.format, {});
  if (!ms)
    return illegal_argument("failed to parse date field [" + text.substr(0, 200) + "] with format [" + field.format +
                            "]");
  return Found(*ms);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
}

// The type that Elasticsearch gives to a new field with this value.
Json guessed_type(const Json& json) {
  if (json.is_boolean()) return {{"type", "boolean"}};
  if (json.is_number_integer()) return {{"type", "long"}};
  if (json.is_number()) return {{"type", "float"}};
  const auto& text = json.get_ref<const std::string&>();
  if (text.size() >= 10 && parse_date(text, "strict_date_optional_time", {})) return {{"type", "date"}};
  return {{"type", "text"}, {"fields", {{"keyword", {{"type", "keyword"}, {"ignore_above", 256}}}}}};
}

class DocumentReader {
 public:
  DocumentReader(const Mapping& mapping, std::string_view id) : mapping_(mapping), id_(id) {}

  Expected<void> read(const Json& object, const std::string& above) {
    for (const auto& [key, value] : object.items()) {
      // "a.b" is b in a.
      for (std::size_t begin = 0, end = 0; end != key.npos; begin = end + 1) {
        end = key.find('.', begin);
        const std::string_view part = std::string_view(key).substr(begin, end == key.npos ? end : end - begin);
        if (part.find_first_not_of(' ') == part.npos)
          return mapper_parsing("failed to parse: field name [" + key.substr(0, 200) +
                                "] is empty, or has an empty part between its dots");
      }
      if (above.empty() && std::ranges::find(kMetadata, key) != std::end(kMetadata))
        return mapper_parsing("failed to parse field [" + key + "] of type [" + key + "] in document with id '" + id_ +
                              "'. Field [" + key + "] is a metadata field and cannot be added inside a document.");
      FROND_EXPECT_OK(read_member(value, above.empty() ? key : above + "." + key));
    }
    return {};
  }

  std::string record(std::string_view source) const {
    std::string out = "{\"id\":" + schema::json_string(id_);
    bool title = false;
    for (const auto& [field, values] : found_) {
      title = title || field->column == "title";
      out.append(",").append(schema::json_string(field->column)).append(":");
      if (field->type == Type::kText) {
        out += schema::json_string(values.text);
        continue;
      }
      out += '[';
      for (std::size_t i = 0; i < values.values.size(); ++i)
        out.append(i == 0 ? "" : ",").append(schema::json_scalar(values.values[i]));
      out += ']';
    }
    if (!title) out += ",\"title\":\"\"";  // a record without any text is none
    out += kSourceName;
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    out.append(source).append("}");
    // A record is a line. Strings of JSON have no line ends as they are.
    std::replace_if(
        out.begin() + begin, out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return out;
  }
  const Json& guessed() const { return guessed_; }

 private:
  // What one field has.
  struct Values {
    std::string text;  // of a text field, joined
    std::vector<schema::Value> values;
  };

  Expected<void> read_member(const Json& json, const std::string& name) {
    if (const MappedField* const field = mapping_.find(name); field != nullptr && !field->multi())
      return add_all(json, name);
    if (json.is_array()) {
      for (const Json& one : json) FROND_EXPECT_OK(read_member(one, name));
      return {};
    }
    const bool object = mapping_.is_object(name);
    if (json.is_object() && (object || mapping_.dynamic == Dynamic::kTrue)) return read(json, name);
    if (json.is_null()) return {};
    if (object)
      return mapper_parsing("object mapping for [" + name + "] tried to parse field [" + name +
                            "] as object, but found a concrete value");
    if (mapping_.dynamic == Dynamic::kTrue) return guess(json, name);
    if (mapping_.dynamic == Dynamic::kFalse) return {};
    const std::size_t dot = name.rfind('.');
    return ApiError{.type = "strict_dynamic_mapping_exception",
                    .reason = "mapping set to strict, dynamic introduction of [" +
                              name.substr(dot == name.npos ? 0 : dot + 1) + "] within [" +
                              (dot == name.npos ? "_doc" : name.substr(0, dot)) + "] is not allowed"};
  }
  // "a.b" becomes b in the properties of a.
  Expected<void> guess(const Json& json, const std::string& name) {
    if (std::ranges::count(name, '.') >= static_cast<std::ptrdiff_t>(kMaxNesting))
      return mapper_parsing("field [" + name.substr(0, 200) + "] is inside more than " + std::to_string(kMaxNesting) +
                            " others");
    Json* at = &guessed_;
    std::string_view rest = name;
    for (std::size_t dot = rest.find('.'); dot != rest.npos; rest.remove_prefix(dot + 1), dot = rest.find('.')) {
      Json& above = (*at)[std::string(rest.substr(0, dot))];
      if (above.contains("type")) return mixed(name);
      at = &above["properties"];
    }
    Json& field = (*at)[std::string(rest)];
    if (field.contains("properties")) return mixed(name);
    field = guessed_type(json);
    return {};
  }
  static ApiError mixed(const std::string& name) {
    return mapper_parsing("failed to parse field [" + name.substr(0, 200) +
                          "]: the document has a value and an object in one place");
  }

  // Of the field and of its multi-fields.
  Expected<void> add_all(const Json& json, const std::string& path) {
    if (json.is_array()) {
      for (const Json& one : json) FROND_EXPECT_OK(add_all(one, path));
      return {};
    }
    for (const MappedField& field : mapping_.fields) {
      if (field.path != path) continue;
      if (const auto added = add(field, json); !added) {
        const std::string shown = json.is_string() ? json.get<std::string>() : dumped(json);
        ApiError error = mapper_parsing("failed to parse field [" + field.name + "] of type [" +
                                        std::string(name_of(field.type)) + "] in document with id '" + id_ +
                                        "'. Preview of field's value: '" + shown.substr(0, 200) + "'");
        error.cause = cause_json(added.error());
        return error;
      }
    }
    return {};
  }

  Expected<void> add(const MappedField& field, const Json& json) {
    auto value = FROND_EXPECT_OK(value_of(field, json));
    if (!value) return {};
    Values& to = found_[&field];
    if (field.type == Type::kText) {
      if (!to.text.empty()) to.text += '\n';
      to.text += std::get<std::string>(*value);
      return {};
    }
    if (const auto* const word = std::get_if<std::string>(&*value)) {
      if (characters(*word) > field.ignore_above) return {};
      if (word->size() > schema::kMaxKeywordBytes)
        return illegal_argument("a keyword of more than " + std::to_string(schema::kMaxKeywordBytes) +
                                " bytes is not supported");
    }
    to.values.push_back(*std::move(value));
    return {};
  }

  const Mapping& mapping_;
  const std::string id_;
  std::map<const MappedField*, Values> found_;
  Json guessed_ = Json::object();
};

}  // namespace

double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

Expected<Found> value_of(const MappedField& field, const Json& json) {
  if (json.is_structured())
    return illegal_argument("Can't get text on a START_" + std::string(json.is_array() ? "ARRAY" : "OBJECT"));
  if (json.is_null()) {
    if (field.null_value.is_null()) return Found();
    return value_of(field, field.null_value);
  }
  switch (field.type) {
    case Type::kText:
    case Type::kKeyword:
      return Found(json.is_string() ? json.get<std::string>() : dumped(json));
    case Type::kBoolean: {
      if (json.is_boolean()) return Found(json.get<bool>());
      const std::string text = json.is_string() ? json.get<std::string>() : dumped(json);
      if (json.is_string() && (text == "true" || text == "false" || text.empty())) return Found(text == "true");
      return illegal_argument("Failed to parse value [" + text.substr(0, 200) +
                              "] as only [true] or [false] are allowed.");
    }
    case Type::kDate:
      return date_of(field, json);
    default:
      return number_of(field.type, json);
  }
}

Expected<PreparedDocument> document_of(const Mapping& mapping, std::string_view id, std::string_view source) {
  const auto parsed = parse_json(source);
  if (!parsed) return mapper_parsing("failed to parse: " + parsed.error().reason);
  if (!parsed->is_object()) return mapper_parsing("failed to parse: the document is no object");
  DocumentReader first(mapping, id);
  FROND_EXPECT_OK(first.read(*parsed, ""));
  if (first.guessed().empty()) return PreparedDocument{.record = first.record(source)};
  auto wider = FROND_EXPECT_OK(extended(mapping, {{"properties", first.guessed()}}));
  DocumentReader again(wider, id);
  FROND_EXPECT_OK(again.read(*parsed, ""));
  return PreparedDocument{.record = again.record(source), .mapping = std::move(wider)};
}

KeptNumbers kept_of(std::string_view record) {
  KeptNumbers kept;
  const std::size_t at = record.find(kSourceName);
  if (at == record.npos) return kept;
  const Json head = Json::parse(std::string(record.substr(0, at)) + "}", nullptr, /*allow_exceptions=*/false);
  if (!head.is_object()) return kept;
  kept.version = number_or(head, "_version", 1);
  if (head.contains("_seq_no")) kept.seq_no = number_or(head, "_seq_no");
  return kept;
}

std::string_view source_of(std::string_view record) {
  // The last member. Quotation marks in strings before it have a backslash in front.
  const std::size_t at = record.find(kSourceName);
  if (at == record.npos) return {};
  record.remove_prefix(at + kSourceName.size());
  record.remove_suffix(1);
  return record;
}

}  // namespace frond::broker::elasticsearch
