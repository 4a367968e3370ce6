#include <simdjson.h>

#include <algorithm>
#include <initializer_list>

#include "indexer/ingest/parsers.h"

namespace frond::indexer {
namespace {

namespace dom = simdjson::dom;

// A parser keeps buffers many times the size of the longest record it has seen: kept for ordinary ones only.
constexpr std::size_t kKeptParserBytes = 4 << 20;
constexpr std::size_t kMaxDepth = 64;

// The first of `names` that is there and not null; absent: none is.
std::optional<std::pair<std::string_view, dom::element>> first_of(const dom::object& object,
                                                                  std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    dom::element value;
    if (object.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null()) return std::pair(name, value);
  }
  return std::nullopt;
}

Result<std::string> string_of(const dom::object& object, std::initializer_list<std::string_view> names) {
  const auto field = first_of(object, names);
  if (!field) return std::string();
  std::string_view text;
  if (field->second.get(text) != simdjson::SUCCESS)
    return Error(Code::kInvalid, "\"" + std::string(field->first) + "\" is not a string");
  return std::string(text);
}

Result<std::string> id_of(const dom::object& object) {
  const auto field = first_of(object, {"id", "_id", "docid"});
  if (!field) return Error(Code::kInvalid, "no \"id\"");
  std::string_view text;
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (field->second.get(text) == simdjson::SUCCESS) {
    FROND_TRY(check_id(text));
    return std::string(text);
  }
  if (field->second.get(number) == simdjson::SUCCESS) return std::to_string(number);
  if (field->second.get(large) == simdjson::SUCCESS) return std::to_string(large);
  return Error(Code::kInvalid, "\"" + std::string(field->first) + "\" is neither a string nor a whole number");
}

Result<Document> document_of(const dom::object& object) {
  Document document;
  document.id = FROND_TRY(id_of(object));
  document.url = FROND_TRY(string_of(object, {"url"}));
  document.title = FROND_TRY(string_of(object, {"title"}));
  document.body = FROND_TRY(string_of(object, {"contents", "body", "text"}));
  if (!first_of(object, {"contents", "body", "text", "title"}))
    return Error(Code::kInvalid, "neither \"contents\" nor \"title\" nor \"body\"");
  return document;
}

Result<Document> parse_with(dom::parser& parser, const RawRecord& record) {
  const std::string& bytes = record.bytes;
  const bool padded = bytes.capacity() - bytes.size() >= simdjson::SIMDJSON_PADDING;
  dom::element root;
  if (const auto error = parser.parse(bytes.data(), bytes.size(), !padded).get(root))
    return Error(Code::kInvalid, std::string("broken JSON: ") + simdjson::error_message(error));
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return Error(Code::kInvalid, "not a JSON object");
  return document_of(object);
}

}  // namespace

Result<Document> parse_jsonl(const RawRecord& record) {
  if (record.bytes.size() > kKeptParserBytes) {
    dom::parser parser;
    return parse_with(parser, record);
  }
  thread_local dom::parser parser = [] {
    dom::parser made;
    const simdjson::error_code ignored = made.allocate(64 << 10, kMaxDepth);  // grows when it has to
    static_cast<void>(ignored);
    return made;
  }();
  return parse_with(parser, record);
}

Result<void> check_id(std::string_view id) {
  if (id.empty()) return Error(Code::kInvalid, "the id is empty");
  if (id.size() > kMaxIdBytes)
    return Error(Code::kInvalid, "the id is longer than " + std::to_string(kMaxIdBytes) + " bytes");
  if (std::ranges::any_of(id, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return Error(Code::kInvalid, "the id has control characters");
  return {};
}

}  // namespace frond::indexer
