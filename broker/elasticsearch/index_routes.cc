// Indices: made, shown, changed, removed; mappings, settings, refresh.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "broker/elasticsearch/index_admin.h"
#include "broker/elasticsearch/index_settings.h"
#include "broker/elasticsearch/json_body.h"
#include "broker/elasticsearch/mapping.h"
#include "broker/elasticsearch/routes.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;
using frond::http::Response;

Response acknowledged() { return json_response({{"acknowledged", true}}); }
Response answer(const Expected<Response>& made) { return made ? *made : response_of(made.error()); }

// {"NAME":{"mappings":…}, …}: what `of` shows of each index that the path names.
void show_each(const Targets& to, const Call& call, Responder& responder, const std::function<Json(const Index&)>& of) {
  const auto indices = to.catalogue.now();
  const auto rules = call.expression_rules();
  if (!rules) return responder.send(response_of(rules.error()));
  const auto meant = resolve(*indices, call.path_value("index"), *rules);
  if (!meant) return responder.send(response_of(meant.error()));
  Json all = Json::object();
  for (const Meant& one : *meant) all[one.index->name] = of(*one.index);
  responder.send(json_response(all));
}

Json shown_settings(const Index& index, const Call& call) {
  const std::string wanted = call.path_value("name");
  FlatSettings flat = flattened(index.settings);
  if (!wanted.empty() && wanted != "_all")
    std::erase_if(flat, [&](const auto& one) {
      const auto names = split_list(wanted);
      return std::ranges::none_of(names, [&](std::string_view name) { return matches_pattern(name, one.first); });
    });
  if (const auto asked = call.flag("flat_settings", false); asked && *asked) {
    Json json = Json::object();
    for (const auto& [name, value] : flat) json[name] = value;
    return json;
  }
  return nested(flat);
}

void serve_index(const Targets& to, Call&& call, Responder responder) {
  show_each(to, call, responder, [&](const Index& index) {
    return Json{{"aliases", index.aliases}, {"mappings", index.mapping}, {"settings", shown_settings(index, call)}};
  });
}
void serve_mapping(const Targets& to, Call&& call, Responder responder) {
  show_each(to, call, responder, [](const Index& index) { return Json{{"mappings", index.mapping}}; });
}
void serve_settings(const Targets& to, Call&& call, Responder responder) {
  show_each(to, call, responder, [&](const Index& index) { return Json{{"settings", shown_settings(index, call)}}; });
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
void serve_mapping_of_fields(const Targets& to, Call&& call, Responder responder) {
  const std::string wanted = call.path_value("fields");
  show_each(to, call, responder, [&](const Index& index) {
    std::map<std::string, Json> all;
    add_fields(index.mapping.value("properties", Json::object()), "", all);
    Json shown = Json::object();
    for (const std::string_view pattern : split_list(wanted))
      for (const auto& [path, field] : all)
        if (matches_pattern(pattern, path)) shown[path] = {{"full_name", path}, {"mapping", field}};
    return Json{{"mappings", shown}};
  });
}

Expected<Json> body_of_index(const Call& call) {
  auto body = parse_object(call.request.body);
  if (body) return body;
  ApiError error = parse_exception("Failed to parse content to map");
  error.cause = cause_json(body.error());
  return error;
}

void put_index(const Targets& to, Call&& call, Responder responder) {
  later(to, std::move(call), std::move(responder), [](const Targets& at, const Call& asked) {
    const std::string name = asked.path_value("index");
    return answer([&]() -> Expected<Response> {
      const Json body = FROND_EXPECT_OK(body_of_index(asked));
      FROND_EXPECT_OK(create_index(at, name, body));
      return json_response({{"acknowledged", true}, {"shards_acknowledged", true}, {"index", name}});
    }());
  });
}

void remove_indices(const Targets& to, Call&& call, Responder responder) {
  later(to, std::move(call), std::move(responder), [](const Targets& at, const Call& asked) {
    return answer([&]() -> Expected<Response> {
      ExpressionRules rules = FROND_EXPECT_OK(asked.expression_rules());
      rules.aliases = false;
      FROND_EXPECT_OK(delete_indices(at, asked.path_value("index"), rules));
      return acknowledged();
    }());
  });
}

// Changes each index that the path names.
void change_each(const Targets& to, Call&& call, Responder responder,
                 std::function<Expected<void>(Index&, const Json& body)> change) {
  later(to, std::move(call), std::move(responder), [change = std::move(change)](const Targets& at, const Call& asked) {
    return answer([&]() -> Expected<Response> {
      const Json body = FROND_EXPECT_OK(parse_object(asked.request.body));
      const auto rules = FROND_EXPECT_OK(asked.expression_rules());
      const auto indices = at.catalogue.now();
      for (const Meant& one : FROND_EXPECT_OK(resolve(*indices, asked.path_value("index"), rules)))
        FROND_EXPECT_OK(change_index(at, one.index->name, [&](Index& index) { return change(index, body); }));
      return acknowledged();
    }());
  });
}

void put_mapping(const Targets& to, Call&& call, Responder responder) {
  change_each(to, std::move(call), std::move(responder), [](Index& index, const Json& body) -> Expected<void> {
    const Mapping before = FROND_EXPECT_OK(read_mapping(index.settings, index.mapping));
    index.mapping = FROND_EXPECT_OK(extended(before, body)).shown;
    return {};
  });
}

void put_settings(const Targets& to, Call&& call, Responder responder) {
  change_each(to, std::move(call), std::move(responder), [](Index& index, const Json& body) -> Expected<void> {
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
  });
}

void refresh(const Targets& to, Call&& call, Responder responder) {
  hand_over(to, std::move(call), std::move(responder), [](const Targets& at, const Call& asked, Responder answer) {
    const auto rules = asked.expression_rules();
    if (!rules) return answer.send(response_of(rules.error()));
    const auto indices = at.catalogue.now();
    const auto meant = resolve(*indices, asked.path_value("index"), *rules);
    if (!meant) return answer.send(response_of(meant.error()));
    std::uint64_t total = 0, successful = 0;
    std::set<std::string> names;
    for (const Meant& one : *meant) {
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
    {"GET", "/_mapping", Access::kSearch, 0, kShowIndices, serve_mapping},
    {"GET", "/_settings", Access::kSearch, 0, kShowIndices, serve_settings},
    {"POST", "/_refresh", Access::kWrite, 0, kChangeIndices, refresh},
    {"GET", "/_refresh", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "/_flush", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "/_forcemerge", Access::kAdmin, 0, kChangeIndices, refresh},
    {"PUT", "/_settings", Access::kAdmin, kMaxBody, kChangeIndices, put_settings},
    {"GET", "/_mapping/field/{fields}", Access::kSearch, 0, kShowIndices, serve_mapping_of_fields},
    {"GET", "/{index}", Access::kSearch, 0, kShowIndices, serve_index},
    {"PUT", "/{index}", Access::kAdmin, kMaxBody, kChangeIndices, put_index},
    {"DELETE", "/{index}", Access::kAdmin, 0, kChangeIndices, remove_indices},
    {"GET", "/{index}/_mapping", Access::kSearch, 0, kShowIndices, serve_mapping},
    {"GET", "/{index}/_mappings", Access::kSearch, 0, kShowIndices, serve_mapping},
    {"PUT", "/{index}/_mapping", Access::kAdmin, kMaxBody, kChangeIndices, put_mapping},
    {"POST", "/{index}/_mapping", Access::kAdmin, kMaxBody, kChangeIndices, put_mapping},
    {"PUT", "/{index}/_mappings", Access::kAdmin, kMaxBody, kChangeIndices, put_mapping},
    {"GET", "/{index}/_mapping/field/{fields}", Access::kSearch, 0, kShowIndices, serve_mapping_of_fields},
    {"GET", "/{index}/_settings", Access::kSearch, 0, kShowIndices, serve_settings},
    {"GET", "/{index}/_settings/{name}", Access::kSearch, 0, kShowIndices, serve_settings},
    {"PUT", "/{index}/_settings", Access::kAdmin, kMaxBody, kChangeIndices, put_settings},
    {"POST", "/{index}/_refresh", Access::kWrite, 0, kChangeIndices, refresh},
    {"GET", "/{index}/_refresh", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "/{index}/_flush", Access::kWrite, 0, kChangeIndices, refresh},
    {"POST", "/{index}/_forcemerge", Access::kAdmin, 0, kChangeIndices, refresh},
};

}  // namespace

std::span<const Route> index_routes() { return kIndexRoutes; }

}  // namespace frond::broker::elasticsearch
