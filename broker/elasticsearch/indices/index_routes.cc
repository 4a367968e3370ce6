// Indices: made, shown, changed, removed; mappings, settings, refresh.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/indices/index_settings.h"
#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/routes.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;
using frond::http::Response;

// {"NAME":{"mappings":…}, …}: what `of` shows of each index that the path names.
Expected<Response> shown_each(const Targets& to, const Call& call, const std::function<Json(const Index&)>& of) {
  const NamedIndices named = FROND_EXPECT_OK(named_indices(to, call));
  Json all = Json::object();
  for (const Meant& one : named.meant) all[one.index->name] = of(*one.index);
  return json_response(all);
}

Json shown_settings(const Index& index, const Call& call) {
  const std::string wanted = call.path_value("name");
  FlatSettings flat = flattened(index.settings);
  if (!wanted.empty() && wanted != "_all")
    std::erase_if(flat, [&](const auto& one) { return !matches_any(wanted, one.first); });
  if (const auto asked = call.flag("flat_settings", false); asked && *asked) {
    Json json = Json::object();
    for (const auto& [name, value] : flat) json[name] = value;
    return json;
  }
  return nested(flat);
}

Expected<Response> show_indices(const Targets& to, const Call& call) {
  return shown_each(to, call, [&](const Index& index) {
    return Json{{"aliases", index.aliases}, {"mappings", index.mapping}, {"settings", shown_settings(index, call)}};
  });
}
Expected<Response> show_mappings(const Targets& to, const Call& call) {
  return shown_each(to, call, [](const Index& index) { return Json{{"mappings", index.mapping}}; });
}
Expected<Response> show_settings(const Targets& to, const Call& call) {
  return shown_each(to, call, [&](const Index& index) { return Json{{"settings", shown_settings(index, call)}}; });
}

// Adds "author.name" and what is below it, with multi-fields, to `all`.
void add_fields(const Json& properties, const std::string& prefix, std::map<std::string, Json>& all) {
  for (const auto& [name, field] : properties.items()) {
    const std::string path = prefix + name;
    if (field.contains("properties")) {
      add_fields(field["properties"], path + ".", all);
      continue;
    }
    all[path] = {{name, field}};
    if (field.contains("fields")) add_fields(field["fields"], path + ".", all);
  }
}
Expected<Response> show_mappings_of_fields(const Targets& to, const Call& call) {
  const std::string wanted = call.path_value("fields");
  return shown_each(to, call, [&](const Index& index) {
    std::map<std::string, Json> all;
    add_fields(index.mapping.value("properties", Json::object()), "", all);
    Json shown = Json::object();
    for (const auto& [path, field] : all)
      if (matches_any(wanted, path)) shown[path] = {{"full_name", path}, {"mapping", field}};
    return Json{{"mappings", shown}};
  });
}

Expected<Json> body_of_index(const Call& call) {
  auto body = parse_with_queries(call.request.body);
  if (body) return body;
  ApiError error = parse_exception("Failed to parse content to map");
  error.cause = cause_json(body.error());
  return error;
}

Expected<Response> put_index(const Targets& to, const Call& call) {
  const std::string name = call.path_value("index");
  const Json body = FROND_EXPECT_OK(body_of_index(call));
  FROND_EXPECT_OK(create_index(to, name, body));
  return json_response({{"acknowledged", true}, {"shards_acknowledged", true}, {"index", name}});
}

Expected<Response> remove_indices(const Targets& to, const Call& call) {
  ExpressionRules rules = FROND_EXPECT_OK(call.expression_rules());
  rules.aliases = false;
  FROND_EXPECT_OK(delete_indices(to, call.path_value("index"), rules));
  return json_response({{"acknowledged", true}});
}

// Changes each index that the path names, by the request's body.
template <Expected<void> (*change)(Index&, const Json& body)>
Expected<Response> change_each(const Targets& to, const Call& call) {
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  const NamedIndices named = FROND_EXPECT_OK(named_indices(to, call));
  for (const Meant& one : named.meant)
    FROND_EXPECT_OK(change_index(to, one.index->name, [&](Index& index) { return change(index, body); }));
  return json_response({{"acknowledged", true}});
}

Expected<void> change_mapping(Index& index, const Json& body) {
  const Mapping before = FROND_EXPECT_OK(read_mapping(index.settings, index.mapping));
  index.mapping = FROND_EXPECT_OK(extended(before, body)).shown;
  return {};
}

Expected<void> change_settings(Index& index, const Json& body) {
  const Json& given = body.contains("settings") ? body["settings"] : body;
  const FlatSettings changes = FROND_EXPECT_OK(read_settings(given));
  FROND_EXPECT_OK(expect_dynamic(changes, index.name));
  FlatSettings all = flattened(index.settings);
  for (const auto& [name, value] : changes)
    if (value.is_null())
      all.erase(name);
    else
      all[name] = value;
  index.settings = nested(all);
  return {};
}

void refresh(const Targets& to, Call&& call, Responder responder) {
  hand_over(to, std::move(call), std::move(responder), [](const Targets& at, const Call& asked, Responder answer) {
    const auto named = named_indices(at, asked);
    if (!named) return answer.send(response_of(named.error()));
    std::uint64_t total = 0, successful = 0;
    std::set<std::string> names;
    for (const Meant& one : named->meant) {
      const Json shards = shards_json(*one.index, /*searched=*/false);
      const std::uint64_t primaries = number_of(*one.index, "number_of_shards");
      total += shards["total"].get<std::uint64_t>() * primaries;
      successful += primaries;
      names.insert(one.index->name);
    }
    const auto held = std::make_shared<Responder>(std::move(answer));
    Refreshes::wait(at, names, [held, total, successful](const auto& outcomes) {
      for (const auto& [name, outcome] : outcomes)
        if (!outcome) return held->send(response_of(outcome.error()));
      held->send(json_response({{"_shards", {{"total", total}, {"successful", successful}, {"failed", 0}}}}));
    });
  });
}

constexpr std::string_view kShowIndices =
    "ignore_unavailable,allow_no_indices,expand_wildcards,local,master_timeout,cluster_manager_timeout,flat_settings,"
    "include_defaults,include_type_name,features";
constexpr std::string_view kChangeIndices =
    "ignore_unavailable,allow_no_indices,expand_wildcards,timeout,master_timeout,cluster_manager_timeout,"
    "wait_for_active_shards,include_type_name,preserve_existing,write_index_only,flush,max_num_segments,"
    "only_expunge_deletes,force,wait_if_ongoing,wait_for_completion";

constexpr Route kIndexRoutes[] = {
    {"GET", "/{index}", Access::kSearch, 0, kShowIndices, answering<show_indices>},
    {"PUT", "/{index}", Access::kAdmin, kMaxBody, kChangeIndices, waiting<put_index>},
    {"DELETE", "/{index}", Access::kAdmin, 0, kChangeIndices, waiting<remove_indices>},
    {"GET", "[/{index}]/_mapping", Access::kSearch, 0, kShowIndices, answering<show_mappings>},
    {"GET", "/{index}/_mappings", Access::kSearch, 0, kShowIndices, answering<show_mappings>},
    {"GET", "[/{index}]/_mapping/field/{fields}", Access::kSearch, 0, kShowIndices, answering<show_mappings_of_fields>},
    {"PUT,POST", "/{index}/_mapping", Access::kAdmin, kMaxBody, kChangeIndices, waiting<change_each<change_mapping>>},
    {"PUT", "/{index}/_mappings", Access::kAdmin, kMaxBody, kChangeIndices, waiting<change_each<change_mapping>>},
    {"GET", "[/{index}]/_settings", Access::kSearch, 0, kShowIndices, answering<show_settings>},
    {"GET", "/{index}/_settings/{name}", Access::kSearch, 0, kShowIndices, answering<show_settings>},
    {"PUT", "[/{index}]/_settings", Access::kAdmin, kMaxBody, kChangeIndices, waiting<change_each<change_settings>>},
    {"POST,GET", "[/{index}]/_refresh", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "[/{index}]/_flush", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "[/{index}]/_forcemerge", Access::kAdmin, 0, kChangeIndices, refresh},
};

}  // namespace

std::span<const Route> index_routes() { return kIndexRoutes; }

}  // namespace frond::broker::elasticsearch
