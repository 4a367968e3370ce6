#include "common/elasticsearch/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "common/elasticsearch/completion_entry.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/plain_json.h"
#include "common/schema/json.h"
#include "common/text/analyzer.h"

namespace frond::elasticsearch {
namespace {

constexpr std::string_view kSourceName = ",\"_source\":";
constexpr std::string_view kMetadata[] = {"_id", "_source", "_index", "_type", "_routing", "_ignored"};

ApiError mapper_parsing(std::string reason) {
  return {.type = "mapper_parsing_exception", .reason = std::move(reason)};
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

// A document's JSON, of either reader (plain_json.h).
using Plain = simdjson::dom::element;
bool is_object(const Json& json) { return json.is_object(); }
bool is_object(const Plain& json) { return json.is_object(); }
bool is_array(const Json& json) { return json.is_array(); }
bool is_array(const Plain& json) { return json.is_array(); }
const Json& json_of(const Json& json) { return json; }
Json json_of(const Plain& json) { return tree_of(json); }
std::optional<std::string_view> string_in(const Json& json) {
  return json.is_string() ? std::optional<std::string_view>(json.get_ref<const std::string&>()) : std::nullopt;
}
std::optional<std::string_view> string_in(const Plain& json) {
  return json.is_string() ? std::optional(std::string_view(json)) : std::nullopt;
}
template <class Visit>
Expected<void> each_member(const Json& object, const Visit& visit) {
  for (const auto& [key, value] : object.items()) FROND_EXPECT_OK(visit(key, value));
  return {};
}
template <class Visit>
Expected<void> each_member(const Plain& object, const Visit& visit) {
  for (const auto member : simdjson::dom::object(object)) FROND_EXPECT_OK(visit(member.key, member.value));
  return {};
}
template <class Visit>
Expected<void> each_element(const Json& array, const Visit& visit) {
  for (const Json& one : array) FROND_EXPECT_OK(visit(one));
  return {};
}
template <class Visit>
Expected<void> each_element(const Plain& array, const Visit& visit) {
  for (const Plain one : simdjson::dom::array(array)) FROND_EXPECT_OK(visit(one));
  return {};
}

// An integer as it is, if the type takes it; others by value_of().
std::optional<std::int64_t> whole_in(const Json&, Type) { return std::nullopt; }
std::optional<std::int64_t> whole_in(const Plain& json, Type type) {
  std::int64_t value = 0;
  const bool fits = is_whole(type) && json.is_int64() && json.get(value) == simdjson::SUCCESS;
  const int unused = 8 * (type == Type::kLong ? 0 : type == Type::kInteger ? 4 : type == Type::kShort ? 6 : 7);
  return fits && (value << unused) >> unused == value ? std::optional(value) : std::nullopt;
}

class DocumentReader {
 public:
  DocumentReader(const Mapping& mapping, std::string_view id, std::size_t most)
      : mapping_(mapping), id_(id), most_(most), found_(std::move(spare())) {
    found_.resize(mapping.fields.size());
  }
  ~DocumentReader() {
    for (Values& values : found_) values.clear();
    spare() = std::move(found_);
  }
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  template <class Node>
  Expected<void> read(const Node& object, std::string_view above) {
    return each_member(object, [&](std::string_view key, const Node& value) -> Expected<void> {
      // "a.b" is b in a.
      for (std::size_t begin = 0, end = 0; end != key.npos; begin = end + 1) {
        end = key.find('.', begin);
        const std::string_view part = key.substr(begin, end == key.npos ? end : end - begin);
        if (part.find_first_not_of(' ') == part.npos)
          return mapper_parsing("failed to parse: field name [" + std::string(key.substr(0, 200)) +
                                "] is empty, or has an empty part between its dots");
      }
      if (above.empty() && std::ranges::find(kMetadata, key) != std::end(kMetadata)) {
        const std::string shown(key);
        return mapper_parsing("failed to parse field [" + shown + "] of type [" + shown + "] in document with id '" +
                              id_ + "'. Field [" + shown +
                              "] is a metadata field and cannot be added inside a document.");
      }
      return above.empty() ? read_member(value, key) : read_member(value, std::string(above) + "." + std::string(key));
    });
  }

  PreparedDocument document(std::string_view source) const {
    PreparedDocument made;
    std::string& out = made.record;
    out.reserve(2 * source.size() + 256);
    out += "{\"id\":";
    schema::append_json_string(out, id_);
    bool title = false;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Values& values = found_[i];
      const MappedField& field = mapping_.fields[i];
      if (!values.any) continue;
      title = title || field.column == "title";
      out.append(",\"").append(field.column).append("\":");  // a name without what needs escapes (column_name())
      if (field.has_positions()) {
        out += values.json;
        continue;
      }
      out.append("[").append(values.json).append("]");
      made.column_bytes = std::max(made.column_bytes, values.json.size() + kValueBytes * values.count);
    }
    if (!title) out += ",\"title\":\"\"";  // a record without any text is none
    out.append(kSourceName).append(source).append("}");
    return made;
  }
  const Json& guessed() const { return guessed_; }

 private:
  // What one field has.
  struct Values {
    bool any = false;
    std::size_t count = 0;
    std::string json;  // one text; of other fields what stands in a list

    void clear() {
      constexpr std::size_t kKept = 1024;  // bytes
      any = false;
      count = 0;
      json.clear();
      if (json.capacity() > kKept) json.shrink_to_fit();
    }
  };
  // What the thread's last document was read into, empty, for the next one.
  static std::vector<Values>& spare() {
    thread_local std::vector<Values> kept;
    return kept;
  }

  template <class Node>
  Expected<void> read_member(const Node& json, std::string_view name) {
    if (const MappedField* const field = mapping_.find(name); field != nullptr && !field->multi())
      return add_all(json, static_cast<std::size_t>(field - mapping_.fields.data()));
    if (is_array(json)) return each_element(json, [&](const Node& one) { return read_member(one, name); });
    const bool object = mapping_.is_object(name);
    if (is_object(json) && (object || mapping_.dynamic == Dynamic::kTrue)) return read(json, name);
    if (json.is_null()) return {};
    if (object)
      return mapper_parsing("object mapping for [" + std::string(name) + "] tried to parse field [" +
                            std::string(name) + "] as object, but found a concrete value");
    if (mapping_.dynamic == Dynamic::kTrue) return guess(json_of(json), std::string(name));
    if (mapping_.dynamic == Dynamic::kFalse) return {};
    const std::size_t dot = name.rfind('.');
    return ApiError{.type = "strict_dynamic_mapping_exception",
                    .reason = "mapping set to strict, dynamic introduction of [" +
                              std::string(name.substr(dot == name.npos ? 0 : dot + 1)) + "] within [" +
                              std::string(dot == name.npos ? "_doc" : name.substr(0, dot)) + "] is not allowed"};
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

  // Of the field and of its multi-fields, which stand behind it.
  template <class Node>
  Expected<void> add_all(const Node& json, std::size_t place) {
    if (is_array(json)) return each_element(json, [&](const Node& one) { return add_all(one, place); });
    const std::string& path = mapping_.fields[place].path;
    for (std::size_t i = place; i < mapping_.fields.size() && mapping_.fields[i].path == path; ++i) {
      const MappedField& field = mapping_.fields[i];
      const auto string = string_in(json);
      const std::size_t before = found_[i].json.size();
      const auto whole = whole_in(json, field.type);
      // Texts have most of a document's bytes.
      const auto added = field.type == Type::kCompletion          ? add_completion(i, json_of(json))
                         : string && field.type == Type::kText    ? add_text(i, *string)
                         : string && field.type == Type::kKeyword ? add_word(i, *string)
                         : whole                                  ? add_scalar(i, *whole)
                                                                  : add(i, json_of(json));
      if (!added) {
        const Json tree = json_of(json);
        const std::string shown = text_in(tree);
        ApiError error = mapper_parsing("failed to parse field [" + field.name + "] of type [" +
                                        std::string(name_of(field.type)) + "] in document with id '" + id_ +
                                        "'. Preview of field's value: '" + shown.substr(0, 200) + "'");
        error.cause = cause_json(added.error());
        return error;
      }
      bytes_ += kValueBytes + found_[i].json.size() - before;
      if (bytes_ > most_)
        return mapper_parsing("failed to parse: the fields of document with id '" + id_ + "' have more than " +
                              std::to_string(most_) + " bytes");
    }
    return {};
  }

  Expected<void> add_completion(std::size_t place, const Json& json) {
    for (const std::string& entry : FROND_EXPECT_OK(completion_entries(json))) FROND_EXPECT_OK(add_word(place, entry));
    return {};
  }
  Expected<void> add_text(std::size_t place, std::string_view text) {
    Values& to = found_[place];
    if (mapping_.fields[place].terms_only) {
      if (!analyzer_) analyzer_ = std::make_unique<text::Analyzer>(mapping_.analyzer, 0);
      for (const std::string& term : analyzer_->terms(text))
        if (term.size() <= text::kMaxTokenBytes) schema::append_json_string(next_of(to), term);
      return {};
    }
    to.any = true;
    if (to.json.size() <= 2) {  // none before, or without any text
      to.json.clear();
      schema::append_json_string(to.json, text);
      return {};
    }
    to.json.replace(to.json.size() - 1, 1, "\\n");
    const std::size_t quote = to.json.size();
    schema::append_json_string(to.json, text);
    to.json.erase(quote, 1);
    return {};
  }
  Expected<void> add(std::size_t place, const Json& json) {
    const MappedField& field = mapping_.fields[place];
    const auto value = FROND_EXPECT_OK(value_of(field, json));
    if (!value) return {};
    const auto* const word = std::get_if<std::string>(&*value);
    if (word == nullptr) return add_scalar(place, *value);
    return field.type == Type::kText ? add_text(place, *word) : add_word(place, *word);
  }
  Expected<void> add_word(std::size_t place, std::string_view word) {
    found_[place].any = true;
    if (is_ignored(mapping_.fields[place], word)) return {};
    if (word.size() > schema::kMaxKeywordBytes)
      return illegal_argument("a keyword of more than " + std::to_string(schema::kMaxKeywordBytes) +
                              " bytes is not supported");
    schema::append_json_string(next_of(found_[place]), word);
    return {};
  }
  Expected<void> add_scalar(std::size_t place, const schema::Value& value) {
    std::string& to = next_of(found_[place]);
    const auto* const whole = std::get_if<std::int64_t>(&value);
    if (whole == nullptr) {
      to += schema::json_scalar(value);
      return {};
    }
    std::array<char, 24> digits{};
    to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), *whole).ptr);
    return {};
  }
  // Where another value goes.
  static std::string& next_of(Values& values) {
    values.any = true;
    if (values.count++ > 0) values.json += ',';
    return values.json;
  }

  const Mapping& mapping_;
  const std::string id_;
  const std::size_t most_;
  std::vector<Values> found_;                 // by field of the mapping
  std::size_t bytes_ = 0;                     // of all of them, as `most` counts
  std::unique_ptr<text::Analyzer> analyzer_;  // once it is needed
  Json guessed_ = Json::object();
};

template <class Node>
Expected<PreparedDocument> prepared(const Mapping& mapping, std::string_view id, std::string_view source,
                                    std::size_t most, const Node& parsed) {
  if (!is_object(parsed)) return mapper_parsing("failed to parse: the document is no object");
  std::optional<DocumentReader> first(std::in_place, mapping, id, most);
  FROND_EXPECT_OK(first->read(parsed, ""));
  if (first->guessed().empty()) return first->document(source);
  auto wider = FROND_EXPECT_OK(extended(mapping, {{"properties", first->guessed()}}));
  first.reset();  // its values are made again
  DocumentReader again(wider, id, most);
  FROND_EXPECT_OK(again.read(parsed, ""));
  PreparedDocument made = again.document(source);
  made.mapping = std::move(wider);
  return made;
}

}  // namespace

Expected<PreparedDocument> document_of(const Mapping& mapping, std::string_view id, std::string_view source,
                                       std::size_t most) {
  if (const auto plain = plain_json(source)) {
    auto made = FROND_EXPECT_OK(prepared(mapping, id, source, most, *plain));
    made.plain = true;
    return made;
  }
  const auto parsed = parse_json(source);
  if (!parsed) return mapper_parsing("failed to parse: " + parsed.error().reason);
  return prepared(mapping, id, source, most, *parsed);
}

StoredNumbers kept_of(std::string_view record) {
  StoredNumbers kept;
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

}  // namespace frond::elasticsearch
