// What clients and people ask about the cluster as a whole: /, _cluster/health, _cat, _nodes, _stats.
#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "broker/cluster/cluster_map.h"
#include "broker/elasticsearch/cluster/cat_table.h"
#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/routes.h"
#include "common/base/text.h"
#include "common/config/options.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;
using frond::http::Response;

constexpr std::string_view kClusterName = "frond", kNode = "frond";

void serve_root(const Targets&, Call&&, Responder responder) {
  responder.send(json_response({{"name", kNode},
                                {"cluster_name", kClusterName},
                                {"cluster_uuid", kClusterName},
                                {"version",
                                 {{"number", kVersion},
                                  {"build_flavor", "default"},
                                  {"build_type", "deb"},
                                  {"build_hash", config::version()},
                                  {"build_date", "2026-01-01T00:00:00.000Z"},
                                  {"build_snapshot", false},
                                  {"lucene_version", "9.12.0"},
                                  {"minimum_wire_compatibility_version", "7.17.0"},
                                  {"minimum_index_compatibility_version", "7.0.0"}}},
                                {"tagline", "You Know, for Search"}}));
}

// Documents that searches find now; 0: nothing is published yet.
std::uint64_t documents_of(const Targets& to, const std::string& collection) {
  const auto* const found = http::find_collection(*to.collections, collection);
  const auto topology = found == nullptr ? nullptr : found->service->scatter().map.topology();
  return topology ? topology->statistics.documents : 0;
}

std::uint64_t partitions_of(const Targets& to, const std::string& collection) {
  const auto* const found = http::find_collection(*to.collections, collection);
  const auto topology = found == nullptr ? nullptr : found->service->scatter().map.topology();
  return topology ? topology->partitions.size() : 0;
}

// An index is red if partitions of it are not searched, and yellow if it asks for replicas: those of Frond are the
// leaves' affair, and not an index's.
enum class Health { kGreen, kYellow, kRed };
constexpr std::string_view kHealthNames[] = {"green", "yellow", "red"};
Health health_of(const Targets& to, const Index& index) {
  const auto* const found = http::find_collection(*to.collections, index.name);
  const auto topology = found == nullptr ? nullptr : found->service->scatter().map.topology();
  if (topology && !topology->whole()) return Health::kRed;
  return number_of(index, "number_of_replicas") > 0 ? Health::kYellow : Health::kGreen;
}
std::string_view name_of(Health health) { return kHealthNames[static_cast<std::size_t>(health)]; }

// Calls `serve` with the indices that the path names.
void with_indices(const Targets& to, const Call& call, Responder responder,
                  const std::function<Response(const std::vector<Meant>&)>& serve) {
  const auto named = named_indices(to, call);
  responder.send(named ? serve(named->meant) : response_of(named.error()));
}

void serve_health(const Targets& to, Call&& call, Responder responder) {
  const std::string wanted(call.parameter("wait_for_status").value_or("red"));
  if (std::ranges::find(kHealthNames, wanted) == std::end(kHealthNames))
    return responder.send(
        response_of(illegal_argument("unknown cluster health status [" + wanted.substr(0, 100) + "]")));
  with_indices(to, call, std::move(responder), [&](const std::vector<Meant>& all) {
    Health worst = Health::kGreen;
    std::uint64_t shards = 0, missing = 0;
    Json each = Json::object();
    for (const Meant& one : all) {
      const Health health = health_of(to, *one.index);
      const std::uint64_t primaries = number_of(*one.index, "number_of_shards");
      const std::uint64_t replicas = primaries * number_of(*one.index, "number_of_replicas");
      worst = std::max(worst, health);
      shards += primaries;
      missing += replicas;
      each[one.index->name] = {{"status", name_of(health)},
                               {"number_of_shards", primaries},
                               {"number_of_replicas", number_of(*one.index, "number_of_replicas")},
                               {"active_primary_shards", primaries},
                               {"active_shards", primaries},
                               {"relocating_shards", 0},
                               {"initializing_shards", 0},
                               {"unassigned_shards", replicas}};
    }
    // Nothing changes it while a request waits: replicas of Elasticsearch never come.
    const bool late = name_of(worst) != wanted && wanted != "red" && !(wanted == "yellow" && worst == Health::kGreen);
    Json told = {
        {"cluster_name", kClusterName},
        {"status", name_of(worst)},
        {"timed_out", late},
        {"number_of_nodes", 1},
        {"number_of_data_nodes", 1},
        {"active_primary_shards", shards},
        {"active_shards", shards},
        {"relocating_shards", 0},
        {"initializing_shards", 0},
        {"unassigned_shards", missing},
        {"delayed_unassigned_shards", 0},
        {"number_of_pending_tasks", 0},
        {"number_of_in_flight_fetch", 0},
        {"task_max_waiting_in_queue_millis", 0},
        {"active_shards_percent_as_number",
         shards + missing == 0 ? 100.0 : 100.0 * static_cast<double>(shards) / static_cast<double>(shards + missing)}};
    if (call.parameter("level").value_or("cluster") != "cluster") told["indices"] = std::move(each);
    return json_response(told, late ? 408 : 200);
  });
}

void cat_indices(const Targets& to, Call&& call, Responder responder) {
  with_indices(to, call, std::move(responder), [&](const std::vector<Meant>& all) {
    CatTable table{{{"health", "h"},
                    {"status", "s"},
                    {"index", "i"},
                    {"uuid", "id"},
                    {"pri", "p", true, true},
                    {"rep", "r", true, true},
                    {"docs.count", "dc", true, true},
                    {"docs.deleted", "dd", true, true},
                    {"creation.date", "cd", false}},
                   {}};
    const auto wanted = call.parameter("health");
    if (wanted && *wanted != "green" && *wanted != "yellow" && *wanted != "red")
      return response_of(illegal_argument("unknown cluster health status [" + std::string(*wanted) + "]"));
    for (const Meant& one : all)
      if (const auto health = name_of(health_of(to, *one.index)); !wanted || *wanted == health)
        table.rows.push_back({std::string(health), "open", one.index->name, one.index->uuid,
                              std::to_string(number_of(*one.index, "number_of_shards")),
                              std::to_string(number_of(*one.index, "number_of_replicas")),
                              std::to_string(documents_of(to, one.index->name)), "0",
                              std::to_string(one.index->created)});
    return cat_response(std::move(table), call);
  });
}

std::pair<std::string, std::string> epoch_and_time() {
  const auto now = std::chrono::system_clock::now();
  return {std::to_string(std::chrono::system_clock::to_time_t(now)), utc_text("%H:%M:%S", now)};
}

void cat_count(const Targets& to, Call&& call, Responder responder) {
  with_indices(to, call, std::move(responder), [&](const std::vector<Meant>& all) {
    std::uint64_t documents = 0;
    for (const Meant& one : all) documents += documents_of(to, one.index->name);
    const auto [epoch, time] = epoch_and_time();
    return cat_response({{{"epoch", "t"}, {"timestamp", "ts"}, {"count", "dc,docs.count,docsCount"}},
                         {{epoch, time, std::to_string(documents)}}},
                        call);
  });
}

void cat_health(const Targets& to, Call&& call, Responder responder) {
  with_indices(to, call, std::move(responder), [&](const std::vector<Meant>& all) {
    Health worst = Health::kGreen;
    std::uint64_t shards = 0;
    for (const Meant& one : all) {
      worst = std::max(worst, health_of(to, *one.index));
      shards += number_of(*one.index, "number_of_shards");
    }
    const auto [epoch, time] = epoch_and_time();
    return cat_response({{{"epoch", "t"},
                          {"timestamp", "ts"},
                          {"cluster", "cl"},
                          {"status", "st"},
                          {"node.total", "nt", true, true},
                          {"node.data", "nd", true, true},
                          {"shards", "sh", true, true},
                          {"pri", "p", true, true}},
                         {{epoch, time, std::string(kClusterName), std::string(name_of(worst)), "1", "1",
                           std::to_string(shards), std::to_string(shards)}}},
                        call);
  });
}

void cat_aliases(const Targets& to, Call&& call, Responder responder) {
  const auto indices = to.catalogue.now();
  const std::string wanted = call.path_value("name");
  CatTable table{{{"alias", "a"},
                  {"index", "i"},
                  {"filter", "f"},
                  {"routing.index", "ri"},
                  {"routing.search", "rs"},
                  {"is_write_index", "w"}},
                 {}};
  for (const auto& [name, index] : *indices)
    for (const auto& [alias, about] : index.aliases.items()) {
      if (!wanted.empty() && !matches_any(wanted, alias)) continue;
      const bool writes = about.contains("is_write_index");
      table.rows.push_back({alias, name, about.contains("filter") ? "*" : "-", text_or(about, "index_routing", "-"),
                            text_or(about, "search_routing", "-"),
                            writes ? (flag_or(about, "is_write_index") ? "true" : "false") : "-"});
    }
  responder.send(cat_response(std::move(table), call));
}

void serve_nodes(const Targets&, Call&&, Responder responder) {
  responder.send(json_response({{"_nodes", {{"total", 1}, {"successful", 1}, {"failed", 0}}},
                                {"cluster_name", kClusterName},
                                {"nodes",
                                 {{kNode,
                                   {{"name", kNode},
                                    {"version", kVersion},
                                    {"roles", {"data", "ingest", "master"}},
                                    {"build_hash", config::version()}}}}}}));
}

// Which indices and aliases a pattern or a list of them means.
void serve_resolve(const Targets& to, Call&& call, Responder responder) {
  const std::string wanted = call.path_value("index");
  Json indices = Json::array();
  std::map<std::string, Json> aliases;
  const auto catalogue = to.catalogue.now();
  for (const auto& [name, index] : *catalogue) {
    Json own = Json::array();
    for (const auto& [alias, about] : index.aliases.items()) {
      own.push_back(alias);
      if (matches_any(wanted, alias)) aliases[alias].push_back(name);
    }
    if (!matches_any(wanted, name)) continue;
    indices.push_back({{"name", name}, {"attributes", {"open"}}});
    if (!own.empty()) indices.back()["aliases"] = std::move(own);
  }
  for (const auto one : split_list(wanted))
    if (one.find('*') == one.npos && one != "_all" && !catalogue->contains(std::string(one)) &&
        !aliases.contains(std::string(one)))
      return responder.send(response_of(index_not_found(one)));
  Json named = Json::array();
  for (auto& [alias, of] : aliases) named.push_back({{"name", alias}, {"indices", std::move(of)}});
  responder.send(
      json_response({{"indices", std::move(indices)}, {"aliases", std::move(named)}, {"data_streams", Json::array()}}));
}

void serve_stats(const Targets& to, Call&& call, Responder responder) {
  with_indices(to, call, std::move(responder), [&](const std::vector<Meant>& all) {
    const auto stats = [](std::uint64_t documents, std::uint64_t segments) {
      const Json docs = {{"docs", {{"count", documents}, {"deleted", 0}}}, {"segments", {{"count", segments}}}};
      return Json{{"primaries", docs}, {"total", docs}};
    };
    std::uint64_t sum = 0, partitions = 0;
    Json each = Json::object();
    for (const Meant& one : all) {
      const std::uint64_t documents = documents_of(to, one.index->name);
      const std::uint64_t segments = documents > 0 ? partitions_of(to, one.index->name) : 0;
      sum += documents;
      partitions += segments;
      each[one.index->name] = stats(documents, segments);
      each[one.index->name]["uuid"] = one.index->uuid;
    }
    const auto shards = static_cast<std::uint64_t>(all.size());
    return json_response({{"_shards", {{"total", shards}, {"successful", shards}, {"failed", 0}}},
                          {"_all", stats(sum, partitions)},
                          {"indices", std::move(each)}});
  });
}

constexpr std::string_view kHealth =
    "wait_for_status,wait_for_no_relocating_shards,wait_for_no_initializing_shards,wait_for_active_shards,"
    "wait_for_nodes,wait_for_events,timeout,level,local,master_timeout,cluster_manager_timeout,ignore_unavailable,"
    "allow_no_indices,expand_wildcards";
constexpr std::string_view kStats =
    "ignore_unavailable,allow_no_indices,expand_wildcards,level,fields,groups,forbid_closed_indices";

constexpr Route kClusterRoutes[] = {
    {"GET", "/", Access::kSearch, 0, "", serve_root},
    {"GET", "/_cluster/health[/{index}]", Access::kSearch, 0, kHealth, serve_health},
    {"GET", "/_cat/indices[/{index}]", Access::kSearch, 0, kCatParameters, cat_indices},
    {"GET", "/_cat/count[/{index}]", Access::kSearch, 0, kCatParameters, cat_count},
    {"GET", "/_cat/health", Access::kSearch, 0, kCatParameters, cat_health},
    {"GET", "/_cat/aliases[/{name}]", Access::kSearch, 0, kCatParameters, cat_aliases},
    {"GET", "/_nodes[/http]", Access::kSearch, 0, "timeout,flat_settings", serve_nodes},
    {"GET", "/_resolve/index/{index}", Access::kSearch, 0, "expand_wildcards,ignore_unavailable,allow_no_indices",
     serve_resolve},
    {"GET", "[/{index}]/_stats[/{metric}]", Access::kSearch, 0, kStats, serve_stats},
};

}  // namespace

std::span<const Route> cluster_routes() { return kClusterRoutes; }

}  // namespace frond::broker::elasticsearch
