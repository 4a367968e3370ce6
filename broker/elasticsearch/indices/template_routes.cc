// Templates: shown, made, removed. They are kept by the indexer's service, for all collections.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/indices/templates.h"
#include "broker/elasticsearch/queries/range_ends.h"
#include "broker/elasticsearch/routes.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Response;

// As its error texts name it.
std::string_view named(TemplateKind kind) {
  return kind == TemplateKind::kComponent ? "component template" : "index template";
}

const Json& of_kind(const Json& kept, TemplateKind kind) {
  static const Json kNone = Json::object();
  const auto found = kept.find(std::string(member_of(kind)));
  return found == kept.end() ? kNone : *found;
}

template <TemplateKind kind>
Expected<Response> show(const Targets& to, const Call& call) {
  const std::string wanted = call.path_value("name");
  const auto kept = to.catalogue.kept();
  Json listed = kind == TemplateKind::kLegacy ? Json::object() : Json::array();
  for (const auto& [name, about] : of_kind(kept->json, kind).items()) {
    if (!wanted.empty() && !matches_any(wanted, name)) continue;
    if (kind == TemplateKind::kLegacy)
      listed[name] = about;
    else
      listed.push_back(
          {{"name", name}, {kind == TemplateKind::kIndex ? "index_template" : "component_template", about}});
  }
  const bool one = !wanted.empty() && wanted.find('*') == wanted.npos;
  const bool missing = one && listed.empty();
  if (kind == TemplateKind::kLegacy) return json_response(listed, missing ? 404 : 200);
  if (missing)
    return ApiError{.status = 404,
                    .type = "resource_not_found_exception",
                    .reason = std::string(named(kind)) + " matching [" + wanted.substr(0, 200) + "] not found"};
  const char* const list = kind == TemplateKind::kIndex ? "index_templates" : "component_templates";
  return json_response({{list, std::move(listed)}});
}

template <TemplateKind kind>
Expected<Response> put(const Targets& to, const Call& call) {
  const std::string name = call.path_value("name");
  if (name.empty() || name.size() > 255 || name.find_first_of(" ,*\"\\<|>?#/") != name.npos || name.front() == '_')
    return validation_failed("name [" + name.substr(0, 200) + "] has characters that names may not have, or too many");
  const Json body = FROND_EXPECT_OK(parse_with_queries(call.request.body));
  const bool create = FROND_EXPECT_OK(call.flag("create", false));
  const auto added = [&](Json& kept) -> Expected<void> {
    Json made = FROND_EXPECT_OK(template_of(kind, name, body, kept));
    Json& all = kept[std::string(member_of(kind))];
    if (all.is_null()) all = Json::object();
    if (create && all.contains(name))
      return illegal_argument(std::string(named(kind)) + " [" + name + "] already exists");
    if (all.size() >= kMaxTemplates && !all.contains(name))
      return rejected("there are " + std::to_string(kMaxTemplates) + " such templates, as many as are kept");
    all[name] = std::move(made);
    return {};
  };
  FROND_EXPECT_OK(change_kept(to, added));
  return json_response({{"acknowledged", true}});
}

template <TemplateKind kind>
Expected<Response> remove(const Targets& to, const Call& call) {
  const std::string wanted = call.path_value("name");
  FROND_EXPECT_OK(change_kept(to, [&](Json& kept) -> Expected<void> {
    Json& all = kept[std::string(member_of(kind))];
    if (all.is_null()) all = Json::object();
    for (const std::string_view pattern : split_list(wanted)) {
      std::vector<std::string> gone;
      for (const auto& [name, about] : all.items())
        if (matches_pattern(pattern, name)) gone.push_back(name);
      if (gone.empty() && pattern != "*")
        return ApiError{.status = 404,
                        .type = kind == TemplateKind::kComponent ? "resource_not_found_exception"
                                                                 : "index_template_missing_exception",
                        .reason = kind == TemplateKind::kComponent
                                      ? "component_template [" + std::string(pattern) + "] missing"
                                      : "index_template [" + std::string(pattern) + "] missing"};
      for (const std::string& name : gone) {
        for (const auto& [user, about] : of_kind(kept, TemplateKind::kIndex).items())
          if (kind == TemplateKind::kComponent &&
              std::ranges::find(about.at("composed_of"), Json(name)) != about.at("composed_of").end())
            return illegal_argument("component templates [" + name +
                                    "] cannot be removed as they are still in use by index templates [" + user + "]");
        all.erase(name);
      }
    }
    return {};
  }));
  return json_response({{"acknowledged", true}});
}

constexpr std::string_view kShow = "local,master_timeout,cluster_manager_timeout,flat_settings,include_defaults";
constexpr std::string_view kChange = "create,order,cause,timeout,master_timeout,cluster_manager_timeout";

using enum TemplateKind;

constexpr Route kTemplateRoutes[] = {
    {"GET", "/_index_template[/{name}]", Access::kSearch, 0, kShow, answering<show<kIndex>>},
    {"PUT,POST", "/_index_template/{name}", Access::kAdmin, kMaxBody, kChange, waiting<put<kIndex>>},
    {"DELETE", "/_index_template/{name}", Access::kAdmin, 0, kChange, waiting<remove<kIndex>>},
    {"GET", "/_component_template[/{name}]", Access::kSearch, 0, kShow, answering<show<kComponent>>},
    {"PUT,POST", "/_component_template/{name}", Access::kAdmin, kMaxBody, kChange, waiting<put<kComponent>>},
    {"DELETE", "/_component_template/{name}", Access::kAdmin, 0, kChange, waiting<remove<kComponent>>},
    {"GET", "/_template[/{name}]", Access::kSearch, 0, kShow, answering<show<kLegacy>>},
    {"PUT,POST", "/_template/{name}", Access::kAdmin, kMaxBody, kChange, waiting<put<kLegacy>>},
    {"DELETE", "/_template/{name}", Access::kAdmin, 0, kChange, waiting<remove<kLegacy>>},
};

}  // namespace

std::span<const Route> template_routes() { return kTemplateRoutes; }

}  // namespace frond::broker::elasticsearch
