#include "broker/elasticsearch/cluster/cluster_settings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/indices/templates.h"
#include "broker/elasticsearch/routes.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Response;

constexpr const char* kAutoCreate = "action.auto_create_index";
constexpr const char* kRequiresName = "action.destructive_requires_name";  // nothing is removed by a pattern here
constexpr std::size_t kMaxListBytes = 4 << 10;

// "a*,-b" of a text or a list.
std::string list_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string list;
  for (const Json& one : value) list += (list.empty() ? "" : ",") + (one.is_string() ? one.get<std::string>() : "");
  return list;
}

Expected<void> check_auto_create(const Json& value) {
  const std::string list = list_of(value);
  if (list.size() > kMaxListBytes)
    return illegal_argument(std::string(kAutoCreate) + " has more than " + std::to_string(kMaxListBytes) + " bytes");
  const bool part_is_empty = !list.empty() && (list.front() == ',' || list.find(",,") != list.npos);
  for (const std::string_view one : split_list(list))
    if (part_is_empty || one == "+" || one == "-")
      return illegal_argument("Can't parse [" + list.substr(0, 200) + "] for setting [" + kAutoCreate +
                              "] must be either [true, false, or a comma separated list of index patterns]");
  return {};
}

// What holds of it; a transient one comes first.
std::string held(const Json& kept, const char* name) {
  for (const char* const kind : {kSettingKinds[1], kSettingKinds[0]}) {
    const FlatSettings settings = cluster_settings(kept, kind);
    if (const auto found = settings.find(name); found != settings.end()) return list_of(found->second);
  }
  return "true";
}

Json settings_json(const FlatSettings& settings, bool flat) { return flat ? Json(settings) : nested(settings); }

Expected<Response> show_cluster_settings(const Targets& to, const Call& call) {
  const bool flat = FROND_EXPECT_OK(call.flag("flat_settings", false));
  const auto kept = to.catalogue.kept();
  Json all = Json::object();
  for (const char* const kind : kSettingKinds) all[kind] = settings_json(cluster_settings(kept->json, kind), flat);
  if (FROND_EXPECT_OK(call.flag("include_defaults", false)))
    all["defaults"] = settings_json(usual_cluster_settings(kept->json), flat);
  return json_response(all);
}

Expected<Response> change_cluster_settings(const Targets& to, const Call& call) {
  const bool flat = FROND_EXPECT_OK(call.flag("flat_settings", false));
  const Json body = FROND_EXPECT_OK(parse_object(call.request.body));
  std::vector<std::pair<const char*, FlatSettings>> changes;
  Json answer = {{"acknowledged", true}};
  for (const char* const kind : kSettingKinds) {
    const auto given = body.find(kind);
    FlatSettings settings = given == body.end() ? FlatSettings() : FROND_EXPECT_OK(read_cluster_settings(kind, *given));
    if (!settings.empty()) changes.emplace_back(kind, settings);
    std::erase_if(settings, [](const auto& one) { return one.second.is_null(); });
    answer[kind] = settings_json(settings, flat);
  }
  for (const auto& [kind, value] : body.items())
    if (std::ranges::find(kSettingKinds, kind) == std::end(kSettingKinds))
      return parsing_exception("unknown member [" + kind.substr(0, 200) + "] of cluster settings");
  if (changes.empty()) return validation_failed("no settings to update");
  FROND_EXPECT_OK(change_kept(to, [&](Json& kept) -> Expected<void> {
    for (const auto& [kind, settings] : changes) set_cluster_settings(kept, kind, settings);
    return {};
  }));
  return json_response(answer);
}

constexpr std::string_view kSettingsParameters =
    "flat_settings,include_defaults,local,timeout,master_timeout,cluster_manager_timeout";
constexpr Route kSettingsRoutes[] = {
    {"GET", "/_cluster/settings", Access::kSearch, 0, kSettingsParameters, answering<show_cluster_settings>},
    {"PUT", "/_cluster/settings", Access::kAdmin, kMaxBody, kSettingsParameters, waiting<change_cluster_settings>},
};

}  // namespace

Expected<FlatSettings> read_cluster_settings(std::string_view kind, const Json& settings) {
  if (!settings.is_object()) return parsing_exception("[" + std::string(kind) + "] is no object");
  FlatSettings all = flattened(settings, "");
  for (const auto& [name, value] : all) {
    const bool removes = value.is_null() && name.find('*') != name.npos;
    if (name == kAutoCreate && !value.is_null()) FROND_EXPECT_OK(check_auto_create(value));
    if (name == kAutoCreate || removes || (name == kRequiresName && (value.is_null() || value == "true"))) continue;
    return not_supported(std::string(kind) + " setting [" + name.substr(0, 200) + "]" +
                         (name == kRequiresName ? " false" : ""));
  }
  return all;
}

void set_cluster_settings(Json& kept, const char* kind, const FlatSettings& settings) {
  FlatSettings all = cluster_settings(kept, kind);
  for (const auto& [name, value] : settings)
    if (value.is_null())
      std::erase_if(all, [&name = name](const auto& one) { return matches_pattern(name, one.first); });
    else
      all[name] = value;
  kept["settings"][kind] = all;
}

FlatSettings cluster_settings(const Json& kept, const char* kind) {
  const auto settings = kept.find("settings");
  return settings == kept.end() ? FlatSettings() : settings->value(kind, FlatSettings());
}

FlatSettings usual_cluster_settings(const Json& kept) {
  FlatSettings all = {{kAutoCreate, "true"}, {kRequiresName, "true"}};
  for (const char* const kind : kSettingKinds)
    for (const auto& [name, value] : cluster_settings(kept, kind)) all.erase(name);
  return all;
}

Expected<void> expect_auto_create(const Json& kept, std::string_view index) {
  const std::string list = held(kept, kAutoCreate);
  if (list == "true") return {};
  const Json* const made_from = composable_for(kept, index);
  if (made_from != nullptr && flag_or(*made_from, "allow_auto_create")) return {};
  const auto refused = [&](const std::string& why) {
    ApiError error = index_not_found(index);
    error.reason += std::string(" and [") + kAutoCreate + "] " + why;
    return error;
  };
  if (list == "false") return refused("is [false]");
  for (const std::string_view one : split_list(list)) {
    const bool signed_one = one.front() == '+' || one.front() == '-';
    if (!matches_pattern(one.substr(signed_one ? 1 : 0), index)) continue;
    if (one.front() != '-') return {};
    return refused("contains [" + std::string(one) + "] which forbids automatic creation of the index");
  }
  return refused("([" + list + "]) doesn't match");
}

std::span<const Route> settings_routes() { return kSettingsRoutes; }

}  // namespace frond::broker::elasticsearch
