#include "indexer/ingest/formats/json_document.h"

#include <simdjson.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "common/schema/json.h"
#include "common/text/utf8.h"
#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/records/document.h"

namespace frond::indexer::ingest {
namespace {

namespace dom = simdjson::dom;

// A parser keeps buffers many times the size of the longest record it has seen: kept for ordinary ones only.
constexpr std::size_t kKeptParserBytes = 128 << 10;
constexpr std::string_view kListInList = "a list of lists or objects";

// Appends the values of a path that are there and not null.
void find_path(const dom::object& object, std::string_view path, std::vector<dom::element>& found) {
  dom::element value;
  if (object.at_key(path).get(value) == simdjson::SUCCESS) {
    if (!value.is_null()) found.push_back(value);
    return;
  }
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    if (object.at_key(path.substr(0, dot)).get(value) != simdjson::SUCCESS) continue;
    const std::string_view rest = path.substr(dot + 1);
    dom::object inner;
    dom::array list;
    if (value.get(inner) == simdjson::SUCCESS) return find_path(inner, rest, found);
    if (value.get(list) != simdjson::SUCCESS) return;
    for (const dom::element element : list)
      if (element.get(inner) == simdjson::SUCCESS) find_path(inner, rest, found);
    return;
  }
}

// A field that is there and not null.
struct JsonField {
  std::string_view name;
  dom::element value;
  std::vector<dom::element> more = {};  // further values of a path
};

// One object, whose numbers may stand aside.
class JsonRecord {
 public:
  // `words`: null if numbers do not stand aside.
  JsonRecord(const dom::object& object, const JsonWords* words) : object_(object), words_(words) {}
  Result<Document> document(const NamedFields& fields);
  // The first of `names`; absent: none is there.
  std::optional<JsonField> first_of(std::span<const std::string> names, bool paths) const;
  // A number has to be taken as it was written, so that what was given has no meaning.
  bool needs_words() const { return needs_words_; }

 private:
  std::string_view append_scalar(const dom::element& value, std::string& out);
  Result<void> append_text(const std::optional<JsonField>& field, char separator, std::string& text);
  Result<void> take_id(const std::optional<JsonField>& field, std::string& id);
  Result<scoring::Prior> prior_of(const std::string& name);
  Result<void> take_fields(const FieldReading& reading, DocumentFields& to);
  Result<void> add_value(const dom::element& value, ColumnReader& column);
  Result<void> take_weights(const JsonField& found, const schema::Field& field, bool coerce, DocumentFields& to);
  // Of a double. Empty: there are no words.
  std::string_view written(const dom::element& number) {
    needs_words_ |= words_ == nullptr;
    return words_ == nullptr ? std::string_view() : words_->written(double(number));
  }

  const dom::object& object_;
  const JsonWords* words_;
  bool needs_words_ = false;
};

std::optional<JsonField> JsonRecord::first_of(std::span<const std::string> names, bool paths) const {
  for (const std::string& name : names) {
    dom::element value;
    if (!paths) {
      if (object_.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null()) return JsonField{name, value};
      continue;
    }
    std::vector<dom::element> found;
    find_path(object_, name, found);
    if (!found.empty()) return JsonField{name, found.front(), {found.begin() + 1, found.end()}};
  }
  return std::nullopt;
}

// Appends text, a number as it was written, or a truth value. What it is instead; empty: it was appended.
std::string_view JsonRecord::append_scalar(const dom::element& value, std::string& out) {
  switch (value.type()) {
    case dom::element_type::STRING:
      out += std::string_view(value);
      return {};
    case dom::element_type::INT64:
      out += std::to_string(std::int64_t(value));
      return {};
    case dom::element_type::UINT64:
      out += std::to_string(std::uint64_t(value));
      return {};
    case dom::element_type::BOOL:
      out += bool(value) ? "true" : "false";
      return {};
    case dom::element_type::DOUBLE: {
      const std::string_view word = written(value);
      if (words_ != nullptr && !is_json_number(word)) return word;
      out += word;
      return {};
    }
    case dom::element_type::ARRAY:
      return kListInList;
    default:
      return "an object";
  }
}

// The values of a list, and of a path, stand one behind the other.
Result<void> JsonRecord::append_text(const std::optional<JsonField>& field, char separator, std::string& text) {
  if (!field) return {};
  const auto append = [&](const dom::element& value, bool in_list) -> Result<void> {
    if (!text.empty()) text += separator;
    std::string_view other = append_scalar(value, text);
    if (other.empty()) return {};
    if (in_list && value.is_object()) other = kListInList;
    return Error(Code::kInvalid, "\"" + std::string(field->name) + "\" holds " + std::string(other) +
                                     "; text, numbers, true, false and lists of them are taken");
  };
  const auto append_all = [&](const dom::element& value) -> Result<void> {
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS) return append(value, false);
    for (const dom::element element : list)
      if (!element.is_null()) FROND_TRY(append(element, true));
    return {};
  };
  FROND_TRY(append_all(field->value));
  for (const dom::element& value : field->more) FROND_TRY(append_all(value));
  return {};
}

// Leaves it empty if there is none.
Result<void> JsonRecord::take_id(const std::optional<JsonField>& field, std::string& id) {
  if (!field) return {};
  const dom::element_type type = field->value.type();
  const bool scalar = field->more.empty() && type != dom::element_type::BOOL && append_scalar(field->value, id).empty();
  if (!scalar || (type == dom::element_type::DOUBLE && id.find_first_of(".eE") != id.npos))
    return Error(Code::kInvalid, "\"" + std::string(field->name) + "\" is neither a string nor a whole number");
  return {};
}

// Absent or null: 0.
Result<scoring::Prior> JsonRecord::prior_of(const std::string& name) {
  const auto field = first_of(std::span(&name, 1), /*paths=*/true);
  if (!field) return scoring::Prior{0};
  const dom::element_type type = field->value.type();
  const bool number =
      type == dom::element_type::DOUBLE || type == dom::element_type::INT64 || type == dom::element_type::UINT64;
  std::string given;
  if (!number || !append_scalar(field->value, given).empty())
    return Error(Code::kInvalid, "\"" + name + "\" is the prior, but not a number");
  const double value = std::strtod(given.c_str(), nullptr);  // too large: infinite
  if (!(value >= 0 && value <= scoring::kMaxPriorValue))
    return Error(Code::kInvalid, "\"" + name + "\" is " + given + "; priors are numbers from 0 to 1000");
  return scoring::prior_of(value);
}

Result<void> JsonRecord::add_value(const dom::element& value, ColumnReader& column) {
  switch (value.type()) {
    case dom::element_type::STRING:
      return column.add(std::string(std::string_view(value)));
    case dom::element_type::INT64:
      return column.add(std::int64_t(value));
    case dom::element_type::UINT64:
      return column.add(static_cast<double>(std::uint64_t(value)));
    case dom::element_type::BOOL:
      return column.add(bool(value));
    case dom::element_type::NULL_VALUE:
      return {};
    case dom::element_type::DOUBLE: {
      if (words_ == nullptr) return column.add(double(value));
      const std::string word(words_->written(double(value)));
      if (!is_json_number(word)) return column.add_other(word.empty() ? "a value that nests too deeply" : word);
      std::int64_t whole = 0;
      const auto read = std::from_chars(word.data(), word.data() + word.size(), whole);
      if (read.ec == std::errc() && read.ptr == word.data() + word.size()) return column.add(whole);
      return column.add(std::strtod(word.c_str(), nullptr));  // too large: infinite, which no column takes
    }
    case dom::element_type::ARRAY:
      return column.add_other(kListInList);
    default:
      return column.add_other("an object");
  }
}

// {"token": weight, …}
Result<void> JsonRecord::take_weights(const JsonField& found, const schema::Field& field, bool coerce,
                                      DocumentFields& to) {
  dom::object weights;
  if (!found.more.empty() || found.value.get(weights) != simdjson::SUCCESS) {
    ++to.left_out;
    if (coerce) return {};
    return Error(Code::kInvalid, "field '" + field.name + "' is no object of weights by token");
  }
  WeightsReader reader(field, coerce);
  for (const auto [token, value] : weights) {
    double weight = 0;
    if (!value.is_number()) {
      FROND_TRY(reader.add_other(token, value.is_string() ? "a string" : "no number"));
    } else if (words_ != nullptr && value.is_double()) {
      const std::string word(words_->written(double(value)));
      FROND_TRY(is_json_number(word) ? reader.add(token, std::strtod(word.c_str(), nullptr))
                                     : reader.add_other(token, word.empty() ? "a value that nests too deeply" : word));
    } else if (value.get(weight) == simdjson::SUCCESS) {
      FROND_TRY(reader.add(token, weight));
    }
  }
  return std::move(reader).finish(to);
}

// A name with dots is also a path, as of FieldNames::paths.
Result<void> JsonRecord::take_fields(const FieldReading& reading, DocumentFields& to) {
  for (std::uint32_t i = 0; i < reading.schema->fields.size(); ++i) {
    const schema::Field& field = reading.schema->fields[i];
    if (is_title_or_body(field)) continue;
    const std::optional<JsonField> found = first_of(std::span(&field.name, 1), /*paths=*/true);
    if (!found) continue;
    to.any = true;
    if (field.type == schema::FieldType::kText) {
      DocumentFields::Text text{i, {}};
      FROND_TRY(append_text(found, '\n', text.text));
      std::erase(text.text, '\0');
      if (!text.text.empty()) to.texts.push_back(std::move(text));
      continue;
    }
    if (field.type == schema::FieldType::kWeights) {
      FROND_TRY(take_weights(*found, field, reading.coerce, to));
      continue;
    }
    ColumnReader column(field, i, reading.coerce);
    const auto add_all = [&](const dom::element& value) -> Result<void> {
      dom::array list;
      if (value.get(list) != simdjson::SUCCESS) return add_value(value, column);
      for (const dom::element element : list) FROND_TRY(add_value(element, column));
      return {};
    };
    FROND_TRY(add_all(found->value));
    for (const dom::element& value : found->more) FROND_TRY(add_all(value));
    std::move(column).finish(to);
  }
  return {};
}

Result<Document> JsonRecord::document(const NamedFields& fields) {
  const FieldNames& names = fields.names;
  const std::optional<JsonField> title = first_of(names.title, names.paths);
  const std::optional<JsonField> body = first_of(names.body, names.paths);
  Document document;
  if (fields.reading.schema != nullptr) FROND_TRY(take_fields(fields.reading, document.fields));
  if (!title && !body && !document.fields.any)
    return Error(Code::kInvalid, "no text: none of " + quoted(names.body) + ", " + quoted(names.title) +
                                     " is there; --text-field names another, and --format files takes whole files as "
                                     "text");
  FROND_TRY(take_id(first_of(names.id, names.paths), document.id));
  FROND_TRY(append_text(first_of(names.url, names.paths), ' ', document.url));
  FROND_TRY(append_text(title, ' ', document.title));
  document.body = take_text_memory();
  if (!names.join_bodies) {
    FROND_TRY(append_text(body, '\n', document.body));
  } else {
    for (const std::string& name : names.body)
      FROND_TRY(append_text(first_of(std::span(&name, 1), names.paths), '\n', document.body));
  }
  if (!fields.prior.empty()) document.prior = FROND_TRY(prior_of(std::string(fields.prior)));
  return document;
}

Error broken(simdjson::error_code error) {
  return {Code::kInvalid, std::string("broken JSON: ") + simdjson::error_message(error)};
}

bool keeps_source(const FieldReading& reading) { return reading.schema != nullptr && reading.schema->source_stored; }

// Whether what nests too deeply for documents is JSON, too. Sources that nest more than simdjson::DEFAULT_MAX_DEPTH
// are not kept.
bool is_deep_json(dom::parser& parser, std::string_view json) {
  const auto words = JsonWords::set_aside(json, simdjson::DEFAULT_MAX_DEPTH);
  dom::parser deep;
  return words && !words->deep &&
         (json.size() > kKeptParserBytes ? parser : deep).parse(words->json).error() == simdjson::SUCCESS;
}

// The document of a record that simdjson refuses, or whose numbers have to be taken as they were written.
Result<Document> parse_with_words(dom::parser& parser, std::string_view json, const NamedFields& fields) {
  const JsonWords words = FROND_TRY(JsonWords::set_aside(json));
  dom::object object;
  if (const auto error = parser.parse(words.json).get(object)) return broken(error);
  Result<Document> document = JsonRecord(object, &words).document(fields);
  // Who asks for sources need not be a lenient reader.
  if (document && keeps_source(fields.reading) && !words.lenient && (!words.deep || is_deep_json(parser, json)))
    document->fields.source = trimmed(json);
  return document;
}

// Whether simdjson refuses with this error what other readers take.
bool may_be_a_limit(simdjson::error_code error) {
  return error == simdjson::NUMBER_ERROR || error == simdjson::STRING_ERROR || error == simdjson::TAPE_ERROR ||
         error == simdjson::DEPTH_ERROR || error == simdjson::N_ATOM_ERROR;
}

Result<Document> parse_with(dom::parser& parser, std::string_view json, bool padded, const NamedFields& fields) {
  dom::element root;
  const auto error = parser.parse(json.data(), json.size(), !padded).get(root);
  if (error == simdjson::UTF8_ERROR) {
    Result<Document> document = parse_with(parser, text::repaired_utf8(json), /*padded=*/false, fields);
    if (document) document->not_utf8 = true;
    return document;
  }
  if (error) return may_be_a_limit(error) ? parse_with_words(parser, json, fields) : broken(error);
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return Error(Code::kInvalid, "not a JSON object");
  JsonRecord parsed(object, nullptr);
  Result<Document> document = parsed.document(fields);
  if (parsed.needs_words()) return parse_with_words(parser, json, fields);
  if (document && keeps_source(fields.reading)) document->fields.source = trimmed(json);
  return document;
}

}  // namespace

Result<Document> parse_json(const RawRecord& record, const NamedFields& fields) {
  std::string storage;
  std::string_view json = record.text();
  // What is UTF-8 the parser finds out itself.
  if (record.encoding != nullptr) json = FROND_TRY(utf8_of_record(record, storage));
  const bool decoded = !storage.empty(), padded = !decoded && record.slack() >= simdjson::SIMDJSON_PADDING;
  const auto parsed = [&](dom::parser& parser) {
    Result<Document> document = parse_with(parser, json, padded, fields);
    if (document && decoded) document->not_utf8 = true;
    return document;
  };
  if (json.size() > kKeptParserBytes) {
    dom::parser parser;
    return parsed(parser);
  }
  thread_local dom::parser parser = [] {
    dom::parser made;
    const simdjson::error_code ignored = made.allocate(64 << 10, JsonWords::kMaxDepth);  // grows when it has to
    static_cast<void>(ignored);
    return made;
  }();
  return parsed(parser);
}

void tell_members(const RawRecord& record, const FieldNames& names, schema::SchemaInference& to) {
  std::string storage;
  const Result<std::string_view> json =
      record.encoding == nullptr ? Result<std::string_view>(record.text()) : utf8_of_record(record, storage);
  dom::parser parser;
  dom::object object;
  if (!json || parser.parse(json->data(), json->size()).get(object) != simdjson::SUCCESS) return;
  const auto scalar_of = [](const dom::element& value) -> std::optional<schema::Value> {
    switch (value.type()) {
      case dom::element_type::STRING:
        return std::string(std::string_view(value));
      case dom::element_type::INT64:
        return std::int64_t(value);
      case dom::element_type::UINT64:
        return static_cast<double>(std::uint64_t(value));
      case dom::element_type::DOUBLE:
        return double(value);
      case dom::element_type::BOOL:
        return bool(value);
      default:
        return std::nullopt;
    }
  };
  to.begin_document();
  std::vector<schema::Value> values;
  const auto tell = [&](std::string_view name, const dom::element& member, bool own_text) {
    if (member.is_null()) return;
    values.clear();
    std::size_t bytes = 0;
    bool nested = false;
    dom::array list;
    const bool is_list = member.get(list) == simdjson::SUCCESS;
    const auto add = [&](const dom::element& value) {
      auto scalar = scalar_of(value);
      nested = nested || (!scalar && !value.is_null());
      if (!scalar) return;
      const auto* const text = std::get_if<std::string>(&*scalar);
      bytes += sizeof(std::uint64_t) + (text == nullptr ? 0 : text->size());
      values.push_back(own_text && text == nullptr ? schema::json_scalar(*scalar) : *std::move(scalar));
    };
    if (!is_list) {
      add(member);
    } else {
      for (const dom::element element : list) add(element);
    }
    const bool many = is_list && !own_text;
    if (nested || (many && (values.size() > partition::kMaxValuesOfField || bytes > kMaxColumnBytes)))
      to.add_nested(name);
    else
      to.add(name, values, many);
  };
  const JsonRecord members(object, nullptr);
  const auto title = members.first_of(names.title, names.paths), body = members.first_of(names.body, names.paths);
  if (title) tell("title", title->value, /*own_text=*/true);
  if (body) tell("body", body->value, /*own_text=*/true);
  for (const auto [name, member] : object)
    if (name != "title" && name != "body" && !(title && name == title->name) && !(body && name == body->name))
      tell(name, member, /*own_text=*/false);
}

JsonFields fields_of_json(std::string_view json, const FieldNames& names) {
  dom::parser parser;
  dom::object object;
  Result<JsonWords> words = Error(Code::kInvalid, {});
  if (const auto error = parser.parse(json.data(), json.size()).get(object)) {
    if (error == simdjson::UTF8_ERROR) return fields_of_json(text::repaired_utf8(json), names);
    if (may_be_a_limit(error)) words = JsonWords::set_aside(json);
    if (!words || parser.parse(words->json).get(object) != simdjson::SUCCESS) return {};
  }
  const JsonRecord record(object, nullptr);
  const auto has = [&](std::span<const std::string> list) { return record.first_of(list, names.paths).has_value(); };
  const bool id = has(names.id), body = has(names.body);
  return {true, id, body || has(names.title), body};
}

}  // namespace frond::indexer::ingest
