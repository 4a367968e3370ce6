#include "broker/elasticsearch/indices/index_settings.h"

#include <algorithm>
#include <utility>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/base/text.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::string_view kPrefix = "index.";
// Known names, or how they begin. Most are of how Elasticsearch stores an index, which is another way here: they are
// kept and shown, and change nothing.
constexpr std::string_view kKnown =
    "number_of_shards,number_of_replicas,refresh_interval,analysis.,similarity.,max_,codec,blocks.,mapping.,mapping,"
    "hidden,priority,routing.,routing_,query.,translog.,merge.,store.,search.,default_pipeline,final_pipeline,"
    "auto_expand_replicas,gc_deletes,sort.,unassigned.,write.,highlight.,lifecycle.,indexing.,"
    "number_of_routing_shards,provided_name,creation_date,uuid,version.,load_fixed_bitset_filters_eagerly,"
    "soft_deletes.,verified_before_close,replication.,knn,shard.,warmer.,requests.,fielddata.,data_path,format,"
    "allocation.";
constexpr std::ptrdiff_t kMaxParts = 20;  // of a name, between dots
constexpr std::string_view kFixed =
    "number_of_shards,analysis.,similarity.,sort.,codec,routing_partition_size,uuid,creation_date,provided_name,"
    "version.";

bool begins(std::string_view name, std::string_view known) {
  const auto all = split_list(known);
  return std::ranges::any_of(all, [&](std::string_view one) {
    return one.ends_with('.') || one.ends_with('_') ? name.starts_with(one) : name == one;
  });
}

Json as_setting(const Json& value) {
  if (value.is_string() || value.is_null()) return value;
  if (!value.is_array()) return value.dump();
  Json list = Json::array();
  for (const Json& one : value) list.push_back(as_setting(one));
  return list;
}

void flatten(const std::string& name, const Json& value, FlatSettings& to) {
  if (!value.is_object()) {
    to[name] = as_setting(value);
    return;
  }
  for (const auto& [key, member] : value.items()) flatten(name.empty() ? key : name + "." + key, member, to);
}

Expected<void> check_number(const FlatSettings& settings, std::string_view name, int least) {
  const auto found = settings.find(name);
  if (found == settings.end() || found->second.is_null()) return {};
  if (!found->second.is_string()) return illegal_argument("Failed to parse setting [" + std::string(name) + "]");
  const auto& text = found->second.get_ref<const std::string&>();
  const auto number = number_in<int>(text);
  if (number && *number >= least) return {};
  return illegal_argument("Failed to parse value [" + text + "] for setting [" + std::string(name) + "]" +
                          (number ? " must be >= " + std::to_string(least) : ""));
}

}  // namespace

FlatSettings flattened(const Json& settings, std::string_view prefix) {
  FlatSettings flat, all;
  flatten("", settings, flat);
  for (auto& [name, value] : flat) all[name.starts_with(prefix) ? name : std::string(prefix) + name] = std::move(value);
  return all;
}

Json nested(const FlatSettings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) {
    Json* at = &json;
    std::string_view rest = name;
    while (rest.find('.') != rest.npos) {
      Json& next = (*at)[std::string(rest.substr(0, rest.find('.')))];
      if (!next.is_object()) next = Json::object();
      at = &next;
      rest.remove_prefix(rest.find('.') + 1);
    }
    (*at)[std::string(rest)] = value;
  }
  return json;
}

Expected<FlatSettings> read_settings(const Json& settings) {
  if (settings.is_null()) return FlatSettings();
  if (!settings.is_object()) return parsing_exception("settings is no object");
  FlatSettings all = flattened(settings);
  for (const auto& [name, value] : all)
    if (std::ranges::count(name, '.') >= kMaxParts || !begins(std::string_view(name).substr(kPrefix.size()), kKnown))
      return illegal_argument("unknown setting [" + name.substr(0, 200) +
                              "] please check that any required plugins are installed, or check the breaking changes "
                              "documentation for removed settings");
  // These would change answers, so they are not kept alone.
  for (const auto& [name, value] : all) {
    const bool pipeline = name == "index.default_pipeline" || name == "index.final_pipeline";
    if ((name.starts_with("index.blocks.") && value == "true") || (pipeline && !value.is_null() && value != "_none"))
      return not_supported("setting [" + name + "]");
  }
  FROND_EXPECT_OK(check_number(all, "index.number_of_shards", 1));
  FROND_EXPECT_OK(check_number(all, "index.number_of_replicas", 0));
  return all;
}

Expected<void> expect_dynamic(const FlatSettings& settings, std::string_view index) {
  for (const auto& [name, value] : settings)
    if (begins(std::string_view(name).substr(kPrefix.size()), kFixed))
      return illegal_argument("Can't update non dynamic settings [[" + name + "]] for open indices [[" +
                              std::string(index) + "]]");
  return {};
}

}  // namespace frond::broker::elasticsearch
