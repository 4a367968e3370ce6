#include "indexer/ingest/formats/json_document.h"

#include <simdjson.h>

#include <optional>
#include <span>
#include <vector>

#include "common/schema/json.h"
#include "common/text/utf8.h"
#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/formats/json_record.h"
#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

namespace dom = simdjson::dom;

// A parser keeps buffers many times the size of the longest record it has seen: kept for ordinary ones only.
constexpr std::size_t kKeptParserBytes = 128 << 10;

Error broken(simdjson::error_code error) {
  return {Code::kInvalid, std::string("broken JSON: ") + simdjson::error_message(error)};
}

bool keeps_source(const FieldReading& reading) { return reading.schema != nullptr && reading.schema->source_stored; }

// What is kept of a record: the record, or what it brings to be kept. (A record of which the second parser can't read
// that is kept whole.)
std::string source_of(std::string_view json, const dom::object& members) {
  const std::string_view whole = trimmed(json);
  dom::element found;
  if (members.at_key(kSourceMember).get(found) != simdjson::SUCCESS) return std::string(whole);
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(whole);
  simdjson::ondemand::document record;
  simdjson::ondemand::object source;
  std::string_view raw;
  if (parser.iterate(padded).get(record) != simdjson::SUCCESS ||
      record.find_field_unordered(kSourceMember).get_object().get(source) != simdjson::SUCCESS ||
      source.raw_json().get(raw) != simdjson::SUCCESS)
    return std::string(whole);
  std::string kept = "{";
  for (const std::string_view name : kSourceNumbers) {
    std::uint64_t number = 0;
    if (members.at_key(name).get(number) != simdjson::SUCCESS) continue;
    kept.append("\"").append(name).append("\":").append(std::to_string(number)).append(",");
  }
  return kept.append("\"").append(kSourceMember).append("\":").append(raw).append("}");
}

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
    document->fields.source = source_of(json, object);
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
  if (document && keeps_source(fields.reading)) document->fields.source = source_of(json, object);
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
