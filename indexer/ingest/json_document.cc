#include "indexer/ingest/json_document.h"

#include <simdjson.h>

#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "indexer/ingest/field_names.h"
#include "indexer/ingest/text_memory.h"

namespace frond::indexer::ingest {
namespace {

namespace dom = simdjson::dom;

// A parser keeps buffers many times the size of the longest record it has seen: kept for ordinary ones only.
constexpr std::size_t kKeptParserBytes = 128 << 10;
constexpr std::size_t kMaxDepth = 64;

struct JsonField {
  std::string_view name;
  dom::element value;
};
// The first of `names` that is there and not null; absent: none is.
std::optional<JsonField> first_of(const dom::object& object, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    dom::element value;
    if (object.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null()) return JsonField{name, value};
  }
  return std::nullopt;
}

// Appends text, a number or a truth value; false: it is something else.
bool append_scalar(const dom::element& value, std::string& out) {
  switch (value.type()) {
    case dom::element_type::STRING:
      out += std::string_view(value);
      return true;
    case dom::element_type::INT64:
      out += std::to_string(std::int64_t(value));
      return true;
    case dom::element_type::UINT64:
      out += std::to_string(std::uint64_t(value));
      return true;
    case dom::element_type::BOOL:
      out += bool(value) ? "true" : "false";
      return true;
    case dom::element_type::DOUBLE: {
      std::array<char, 32> digits{};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), double(value)).ptr;
      out.append(digits.data(), end);
      return true;
    }
    default:
      return false;
  }
}

// A field as text, which is empty at first. The values of a list stand one behind the other.
Result<std::string> text_of(const std::optional<JsonField>& field, char separator = ' ', std::string text = {}) {
  if (!field || append_scalar(field->value, text)) return text;
  const auto refused = [&](std::string_view what) {
    return Error(Code::kInvalid, "\"" + std::string(field->name) + "\" holds " + std::string(what) +
                                     "; text, numbers, true, false and lists of them are taken");
  };
  dom::array list;
  if (field->value.get(list) != simdjson::SUCCESS) return refused("an object");
  for (const dom::element value : list) {
    if (value.is_null()) continue;
    if (!text.empty()) text += separator;
    if (!append_scalar(value, text)) return refused("a list of lists or objects");
  }
  return text;
}

// Empty: none, or an empty one.
Result<std::string> id_of(const dom::object& object) {
  const auto field = first_of(object, kIdNames);
  if (!field) return std::string();
  const dom::element_type type = field->value.type();
  if (type == dom::element_type::STRING || type == dom::element_type::INT64 || type == dom::element_type::UINT64)
    return text_of(field);
  return Error(Code::kInvalid, "\"" + std::string(field->name) + "\" is neither a string nor a whole number");
}

// Absent or null: 0.
Result<scoring::Prior> prior_of(const dom::object& object, std::string_view name) {
  const auto field = first_of(object, std::span(&name, 1));
  if (!field) return scoring::Prior{0};
  double value = 0;
  if (field->value.get(value) != simdjson::SUCCESS)
    return Error(Code::kInvalid, "\"" + std::string(name) + "\" is the prior, but not a number");
  if (!(value >= 0 && value <= scoring::kMaxPriorValue)) {
    std::string given;
    append_scalar(field->value, given);
    return Error(Code::kInvalid, "\"" + std::string(name) + "\" is " + given + "; priors are numbers from 0 to 1000");
  }
  return scoring::prior_of(value);
}

// prior_field: empty for no prior.
Result<Document> document_of(const dom::object& object, std::string_view prior_field) {
  const std::optional<JsonField> title = first_of(object, kTitleNames), body = first_of(object, kBodyNames);
  if (!title && !body)
    return Error(Code::kInvalid,
                 "no text: none of \"contents\", \"body\", \"text\", \"content\", \"passage\", \"title\" is there; "
                 "--format files takes whole files as text");
  Document document;
  document.id = FROND_TRY(id_of(object));
  document.url = FROND_TRY(text_of(first_of(object, kUrlNames)));
  document.title = FROND_TRY(text_of(title));
  document.body = FROND_TRY(text_of(body, '\n', take_text_memory()));
  if (!prior_field.empty()) document.prior = FROND_TRY(prior_of(object, prior_field));
  return document;
}

Result<Document> parse_with(dom::parser& parser, const RawRecord& record, std::string_view prior_field) {
  const std::string_view json = record.text();
  const bool padded = record.slack() >= simdjson::SIMDJSON_PADDING;
  dom::element root;
  if (const auto error = parser.parse(json.data(), json.size(), !padded).get(root))
    return Error(Code::kInvalid, std::string("broken JSON: ") + simdjson::error_message(error));
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return Error(Code::kInvalid, "not a JSON object");
  return document_of(object, prior_field);
}

}  // namespace

Result<Document> parse_json(const RawRecord& record) { return parse_json_with_prior(record, {}); }

Result<Document> parse_json_with_prior(const RawRecord& record, std::string_view field) {
  if (record.text().size() > kKeptParserBytes) {
    dom::parser parser;
    return parse_with(parser, record, field);
  }
  thread_local dom::parser parser = [] {
    dom::parser made;
    const simdjson::error_code ignored = made.allocate(64 << 10, kMaxDepth);  // grows when it has to
    static_cast<void>(ignored);
    return made;
  }();
  return parse_with(parser, record, field);
}

JsonFields fields_of_json(std::string_view object) {
  dom::parser parser;
  dom::object fields;
  if (parser.parse(object.data(), object.size()).get(fields) != simdjson::SUCCESS) return {};
  const bool id = first_of(fields, kIdNames).has_value(), body = first_of(fields, kBodyNames).has_value();
  return {true, id, body || first_of(fields, kTitleNames).has_value(), body};
}

}  // namespace frond::indexer::ingest
