#include "broker/elasticsearch/bulk.h"

#include <charconv>
#include <utility>

#include "broker/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using Kind = DocumentChange::Kind;

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::uint64_t> number_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// What an action says beside its name.
Expected<void> take_members(const Json& members, std::size_t line, BulkItem& item) {
  DocumentChange& change = item.change;
  bool term = false;
  for (const auto& [name, value] : members.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (name == "_index") {
      change.index = text;
    } else if (name == "_id") {
      change.id = value.is_null() ? "" : text;
      if (value.is_string() && text.empty()) item.wrong = illegal_argument("if _id is specified it must not be empty");
    } else if (name == "if_seq_no") {
      change.if_seq_no = number_of(value);
    } else if (name == "if_primary_term") {
      term = true;
    } else if (name == "version" || name == "_version") {
      change.version = number_of(value).value_or(0);
    } else if (name == "version_type" || name == "_version_type") {
      change.counted = text == "external_gte" ? DocumentChange::Counted::kNotLess
                       : text == "external"   ? DocumentChange::Counted::kGreater
                                              : DocumentChange::Counted::kHere;
    } else if (name == "require_alias") {
      change.require_alias = text == "true";
    } else if (name != "routing" && name != "_routing" && name != "_type" && name != "retry_on_conflict" &&
               name != "_source") {
      return illegal_argument("Action/metadata line [" + std::to_string(line) + "] contains an unknown parameter [" +
                              name.substr(0, 200) + "]");
    }
  }
  if (change.if_seq_no.has_value() != term) item.wrong = validation_failed("if_seq_no and if_primary_term go together");
  return {};
}

}  // namespace

Expected<std::vector<BulkItem>> parse_bulk(std::string_view body, std::string_view index, bool require_alias) {
  if (body.empty()) return parse_exception("request body is required");
  if (!body.ends_with('\n')) return illegal_argument("The bulk request must be terminated by a newline [\\n]");
  std::vector<BulkItem> items;
  std::size_t number = 0;
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    ++number;
    if (line.find_first_not_of(" \t") == line.npos) continue;
    if (items.size() == kMaxBulkItems)
      return ApiError{.status = 413,
                      .type = "content_too_long_exception",
                      .reason = "a bulk request may have " + std::to_string(kMaxBulkItems) + " items"};
    auto parsed = parse_json(line);
    const std::string where = "Malformed action/metadata line [" + std::to_string(number) + "], ";
    if (!parsed) return parsed.error();
    if (!parsed->is_object() || parsed->size() != 1)
      return illegal_argument(where + "expected START_OBJECT or END_OBJECT but found [" + parsed->type_name() + "]");
    const std::string name = parsed->begin().key();
    BulkItem item;
    item.change.index = index;
    item.change.require_alias = require_alias;
    if (name == "index")
      item.change.kind = Kind::kIndex;
    else if (name == "create")
      item.change.kind = Kind::kCreate;
    else if (name == "update")
      item.change.kind = Kind::kUpdate;
    else if (name == "delete")
      item.change.kind = Kind::kDelete;
    else
      return illegal_argument(where + "expected field [create], [delete], [index] or [update] but found [" +
                              name.substr(0, 200) + "]");
    if (!parsed->begin()->is_object())
      return illegal_argument(where + "expected START_OBJECT but found [" + parsed->begin()->type_name() + "]");
    FROND_EXPECT_OK(take_members(*parsed->begin(), number, item));
    const bool needs_id = item.change.kind == Kind::kUpdate || item.change.kind == Kind::kDelete;
    if (needs_id && item.change.id.empty()) return validation_failed("id is missing");
    if (item.change.index.empty()) return validation_failed("index is missing");
    if (item.change.kind != Kind::kDelete) {
      if (body.empty()) return validation_failed("no requests added");
      item.change.source = next_line(body);
      ++number;
    }
    items.push_back(std::move(item));
  }
  if (items.empty()) return validation_failed("no requests added");
  return items;
}

}  // namespace frond::broker::elasticsearch
