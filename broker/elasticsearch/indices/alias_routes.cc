// Aliases: shown, added, removed.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "broker/elasticsearch/indices/aliases.h"
#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/routes.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Response;

bool is_named(const std::string& patterns, std::string_view alias) {
  return patterns.empty() || patterns == "_all" || matches_any(patterns, alias);
}

Expected<Response> show_aliases(const Targets& to, const Call& call) {
  const NamedIndices named = FROND_EXPECT_OK(named_indices(to, call));
  const std::string wanted = call.path_value("name");
  Json all = Json::object();
  std::set<std::string> found;
  for (const Meant& one : named.meant) {
    Json shown = Json::object();
    for (const auto& [alias, about] : one.index->aliases.items()) {
      if (!is_named(wanted, alias)) continue;
      shown[alias] = about;
      found.insert(alias);
    }
    if (wanted.empty() || !shown.empty()) all[one.index->name] = {{"aliases", shown}};
  }
  std::string missing;
  for (const std::string_view name : split_list(wanted))
    if (name != "_all" && name.find('*') == name.npos && !found.contains(std::string(name)))
      missing += (missing.empty() ? "" : ",") + std::string(name);
  if (missing.empty()) return json_response(all);
  all["error"] = "alias [" + missing + "] missing";
  all["status"] = 404;
  return json_response(all, 404);
}

ApiError missing_aliases(std::string_view names) {
  return {.status = 404,
          .type = "aliases_not_found_exception",
          .reason = "aliases [" + std::string(names) + "] missing",
          .details = {{"resource.type", "aliases"}, {"resource.id", names}}};
}

Expected<void> add_alias_to(const Targets& to, const std::string& index_name, std::string_view alias,
                            const Json& about) {
  const auto indices = to.catalogue.now();
  return change_index(to, index_name, [&](Index& index) -> Expected<void> {
    const Mapping mapping = FROND_EXPECT_OK(read_mapping(index.settings, index.mapping));
    return add_alias(index, mapping, *indices, alias, about);
  });
}

// Removes those of the index that the patterns name; says whether there were any.
Expected<bool> remove_aliases(const Targets& to, const std::string& index_name, const std::string& patterns) {
  bool found = false;
  const auto indices = to.catalogue.now();
  const auto index = indices->find(index_name);
  if (index == indices->end()) return index_not_found(index_name);
  for (const auto& [alias, about] : index->second.aliases.items()) found = found || is_named(patterns, alias);
  if (!found) return false;
  FROND_EXPECT_OK(change_index(to, index_name, [&](Index& changed) -> Expected<void> {
    std::vector<std::string> gone;
    for (const auto& [alias, about] : changed.aliases.items())
      if (is_named(patterns, alias)) gone.push_back(alias);
    for (const std::string& alias : gone) changed.aliases.erase(alias);
    return {};
  }));
  return true;
}

// "index" or "indices", "alias" or "aliases": as a list between commas.
Expected<std::string> names_in(const Json& action, const char* one, const char* many, bool needed) {
  std::string all;
  for (const char* name : {one, many}) {
    const Json value = action.value(name, Json());
    if (!value.is_null() && !value.is_string() && !value.is_array())
      return parsing_exception("[" + std::string(name) + "] is neither a name nor a list of names");
    if (const std::string list = list_in(value); !list.empty()) all.append(all.empty() ? "" : ",").append(list);
  }
  if (all.empty() && needed) return illegal_argument("One of [" + std::string(one) + "] or [" + many + "] is required");
  return all;
}

Expected<void> apply(const Targets& to, const std::string& kind, const Json& action) {
  const std::string names = FROND_EXPECT_OK(names_in(action, "index", "indices", true));
  ExpressionRules rules;
  rules.aliases = false;
  if (kind == "remove_index") return delete_indices(to, names, rules);
  const auto indices = to.catalogue.now();
  const auto meant = FROND_EXPECT_OK(resolve(*indices, names, rules));
  const std::string aliases = FROND_EXPECT_OK(names_in(action, "alias", "aliases", true));
  if (kind == "add") {
    Json members = action;
    for (const char* name : {"index", "indices", "alias", "aliases", "must_exist"}) members.erase(name);
    const Json about = FROND_EXPECT_OK(alias_of(members));
    for (const Meant& one : meant)
      for (const std::string_view alias : split_list(aliases))
        FROND_EXPECT_OK(add_alias_to(to, one.index->name, alias, about));
    return {};
  }
  bool any = false;
  for (const Meant& one : meant) {
    const bool removed = FROND_EXPECT_OK(remove_aliases(to, one.index->name, aliases));
    any = any || removed;
  }
  if (!any && action.value("must_exist", Json(true)) != Json(false)) return missing_aliases(aliases);
  return {};
}

Expected<Response> change_aliases(const Targets& to, const Call& call) {
  const Json body = FROND_EXPECT_OK(parse_with_queries(call.request.body));
  const Json actions = body.value("actions", Json());
  if (!actions.is_array() || actions.empty()) return illegal_argument("No action specified");
  for (const Json& action : actions) {
    const bool well = action.is_object() && action.size() == 1 && action.begin()->is_object();
    const std::string kind = well ? action.begin().key() : "";
    if (kind != "add" && kind != "remove" && kind != "remove_index")
      return illegal_argument("Unsupported action [" + kind.substr(0, 200) + "]");
  }
  for (const Json& action : actions) FROND_EXPECT_OK(apply(to, action.begin().key(), *action.begin()));
  return json_response({{"acknowledged", true}});
}

Expected<Response> put_alias(const Targets& to, const Call& call) {
  const Json body = FROND_EXPECT_OK(parse_with_queries(call.request.body));
  const Json about = FROND_EXPECT_OK(alias_of(body));
  const NamedIndices named = FROND_EXPECT_OK(named_indices(to, call));
  for (const Meant& one : named.meant)
    FROND_EXPECT_OK(add_alias_to(to, one.index->name, call.path_value("name"), about));
  return json_response({{"acknowledged", true}});
}

Expected<Response> delete_alias(const Targets& to, const Call& call) {
  const std::string names = call.path_value("name");
  const NamedIndices named = FROND_EXPECT_OK(named_indices(to, call));
  bool any = false;
  for (const Meant& one : named.meant) {
    const bool removed = FROND_EXPECT_OK(remove_aliases(to, one.index->name, names));
    any = any || removed;
  }
  if (!any) return missing_aliases(names);
  return json_response({{"acknowledged", true}});
}

constexpr std::string_view kShowAliases = "ignore_unavailable,allow_no_indices,expand_wildcards,local";
constexpr std::string_view kChangeAliases =
    "ignore_unavailable,allow_no_indices,expand_wildcards,timeout,master_timeout,cluster_manager_timeout";

constexpr Route kAliasRoutes[] = {
    {"GET", "/_aliases", Access::kSearch, 0, kShowAliases, answering<show_aliases>},
    {"POST", "/_aliases", Access::kAdmin, kMaxBody, kChangeAliases, waiting<change_aliases>},
    {"GET", "[/{index}]/_alias[/{name}]", Access::kSearch, 0, kShowAliases, answering<show_aliases>},
    {"PUT,POST", "/{index}/_alias/{name}", Access::kAdmin, kMaxBody, kChangeAliases, waiting<put_alias>},
    {"PUT", "/{index}/_aliases/{name}", Access::kAdmin, kMaxBody, kChangeAliases, waiting<put_alias>},
    {"DELETE", "/{index}/_alias/{name}", Access::kAdmin, 0, kChangeAliases, waiting<delete_alias>},
    {"DELETE", "/{index}/_aliases/{name}", Access::kAdmin, 0, kChangeAliases, waiting<delete_alias>},
};

}  // namespace

std::span<const Route> alias_routes() { return kAliasRoutes; }

}  // namespace frond::broker::elasticsearch
