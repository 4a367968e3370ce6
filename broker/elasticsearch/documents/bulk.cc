#include "broker/elasticsearch/documents/bulk.h"

#include <utility>

#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/plain_json.h"

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

// What an action says beside its name.
Expected<void> take_members(const simdjson::dom::object& members, std::size_t line, BulkItem& item) {
  DocumentChange& change = item.change;
  Json conditions;
  for (const auto [name, value] : members) {
    std::string text = value.is_string() ? std::string(std::string_view(value)) : dumped(tree_of(value));
    if (name == "_index") {
      change.index = std::move(text);
    } else if (name == "_id") {
      if (value.is_string() && text.empty()) item.wrong = illegal_argument("if _id is specified it must not be empty");
      change.id = value.is_null() ? "" : std::move(text);
    } else if (name == "if_seq_no" || name == "if_primary_term") {
      conditions[std::string(name)] = tree_of(value);
    } else if (name == "version" || name == "_version" || name == "version_type" || name == "_version_type") {
      conditions[std::string(name.substr(name.front() == '_' ? 1 : 0))] = tree_of(value);
    } else if (name == "require_alias") {
      change.require_alias = text == "true";
    } else if (name != "routing" && name != "_routing" && name != "retry_on_conflict" && name != "_source") {
      return illegal_argument("Action/metadata line [" + std::to_string(line) + "] contains an unknown parameter [" +
                              std::string(name.substr(0, 200)) + "]");
    }
  }
  if (conditions.empty()) return {};
  if (const auto read = set_conditions(change, conditions); !read && !item.wrong) item.wrong = read.error();
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
    const auto malformed = [number](const std::string& what) {
      return illegal_argument("Malformed action/metadata line [" + std::to_string(number) + "], expected " + what);
    };
    const auto parsed = plain_json(line);
    if (!parsed) {
      const auto tree = parse_json(line);
      return tree ? malformed("shorter numbers, in a shorter line") : tree.error();
    }
    simdjson::dom::object action, members;
    if (parsed->get(action) != simdjson::SUCCESS || action.size() != 1)
      return malformed("START_OBJECT or END_OBJECT but found [" + std::string(tree_of(*parsed).type_name()) + "]");
    const std::string_view name = (*action.begin()).key;
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
      return malformed("field [create], [delete], [index] or [update] but found [" + std::string(name.substr(0, 200)) +
                       "]");
    if ((*action.begin()).value.get(members) != simdjson::SUCCESS)
      return malformed("START_OBJECT but found [" + std::string(tree_of((*action.begin()).value).type_name()) + "]");
    FROND_EXPECT_OK(take_members(members, number, item));
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
