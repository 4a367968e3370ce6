#include "broker/elasticsearch/indices/aliases.h"

#include <string>
#include <utility>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

ApiError invalid_alias(std::string_view name, std::string_view why) {
  return {.type = "invalid_alias_name_exception",
          .reason = "Invalid alias name [" + std::string(name.substr(0, kMaxAliasBytes)) + "], " + std::string(why)};
}

ApiError wrong_alias_member(const std::string& member) {
  return parsing_exception("[alias] member [" + member + "] has a wrong type");
}

}  // namespace

Expected<Json> alias_of(const Json& asked) {
  if (!asked.is_object()) return parsing_exception("[alias] is no object");
  Json alias = Json::object();
  for (const auto& [name, value] : asked.items()) {
    if (value.is_null()) continue;
    if (name == "filter") {
      if (!value.is_object()) return wrong_alias_member(name);
      alias[name] = value;
    } else if (name == "is_write_index" || name == "is_hidden") {
      if (!value.is_boolean() && value != "true" && value != "false") return wrong_alias_member(name);
      alias[name] = value == true || value == "true";
    } else if (name == "routing" || name == "index_routing" || name == "search_routing") {
      if (!value.is_string() && !value.is_number()) return wrong_alias_member(name);
      const std::string text = text_in(value);
      if (name != "search_routing") alias["index_routing"] = text;
      if (name != "index_routing") alias["search_routing"] = text;
    } else {
      return parsing_exception("[alias] unknown field [" + name.substr(0, 200) + "]");
    }
  }
  return alias;
}

Expected<void> add_alias(Index& index, const Mapping& mapping, const Indices& all, std::string_view name, Json alias) {
  if (name.empty() || name == "." || name == ".." || name.find_first_of(" \"*\\<|,>/?#:") != name.npos ||
      name.front() == '_' || name.front() == '-' || name.front() == '+')
    return invalid_alias(name, "it has characters that names may not have");
  if (name.size() > kMaxAliasBytes) return invalid_alias(name, "it is longer than 255 bytes");
  if (all.contains(name) || name == index.name)
    return invalid_alias(name, "an index exists with the same name as the alias");
  if (const auto filter = alias.find("filter"); filter != alias.end()) {
    text::Analyzer analyzer(mapping.analyzer, 0);
    Statistics statistics;
    QueryScope scope{.mapping = mapping, .index = index.name, .analyzer = analyzer, .statistics = statistics};
    FROND_EXPECT_OK(typed([&] { return QueryReader(scope).read(*filter, /*boost=*/1, /*scored=*/false); }));
  }
  if (index.aliases.size() >= kMaxAliases && !index.aliases.contains(name))
    return illegal_argument("an index may have " + std::to_string(kMaxAliases) + " aliases");
  index.aliases[std::string(name)] = std::move(alias);
  return {};
}

}  // namespace frond::broker::elasticsearch
