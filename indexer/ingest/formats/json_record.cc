#include "indexer/ingest/formats/json_record.h"

#include <cstdlib>

#include "common/base/text.h"

namespace frond::indexer::ingest {
namespace {

namespace dom = simdjson::dom;

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

}  // namespace

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
      if (const auto whole = number_in<std::int64_t>(word)) return column.add(*whole);
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
    } else if (words_ != nullptr && value.type() == dom::element_type::DOUBLE) {
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
  simdjson::dom::element own_source;
  const bool brings_source = fields.reading.schema != nullptr && object_.at_key(kSourceMember).get(own_source) == 0;
  if (!title && !body && !document.fields.any && !brings_source)
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

}  // namespace frond::indexer::ingest
