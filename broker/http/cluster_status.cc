#include "broker/http/cluster_status.h"

#include <nlohmann/json.hpp>

namespace frond::broker::http {
namespace {
using Json = nlohmann::ordered_json;

// Null: not known, because its leaves are older ones.
Json content_json(ContentId content) { return content == 0 ? Json() : Json(to_hex(content)); }

Json leaf_json(const LeafView& leaf) {
  Json out = {{"address", leaf.endpoint}, {"healthy", leaf.healthy}};
  if (!leaf.last_error.empty()) out["error"] = leaf.last_error;
  out["failures"] = leaf.failures;
  out["in_flight"] = leaf.in_flight;
  out["generations"] = Json::array();
  out["gpu"] = "";
  if (!leaf.said) return out;
  const wire::HelloReply& said = *leaf.said;
  out["last_seen_ms_ago"] = leaf.last_seen_ago.count();
  out["node"] = said.node;
  out["version"] = said.version;
  out["draining"] = said.draining;
  out["listed"] = leaf.listed;
  out["gpu"] = said.gpu;
  out["cpu_threads"] = said.cpu_threads;
  out["queue"] = {{"depth", said.queue_depth}, {"limit", said.queue_limit}};
  out["host_cache"] = {{"bytes", said.host_cache_bytes},
                       {"limit_bytes", said.host_cache_limit},
                       {"hits", said.host_cache_hits},
                       {"misses", said.host_cache_misses}};
  if (!said.detail.empty()) out["detail"] = said.detail;
  for (const auto& generation : said.generations) {
    Json partitions = Json::array();
    for (const auto& partition : generation.partitions) partitions.push_back(partition.number);
    out["generations"].push_back({{"generation", generation.generation},
                                  {"content", content_json(generation.content)},
                                  {"partitions", std::move(partitions)}});
  }
  return out;
}

Json partitions_json(const ClusterView& cluster) {
  Json out = Json::array();
  for (std::size_t i = 0; i < cluster.partitions.size(); ++i) {
    const auto& shown = cluster.partitions[i];
    Json partition = {{"partition", i}, {"leaves", shown.leaves}};
    if (!shown.leaves.empty()) partition["documents"] = shown.documents;
    if (shown.hidden > 0) partition["hidden"] = shown.hidden;
    out.push_back(std::move(partition));
  }
  return out;
}
}  // namespace

std::string cluster_json(const ClusterView& cluster, const SearchService& service, std::string_view collection,
                         std::string_view version) {
  Json out = {
      {"collection", collection}, {"generation", cluster.generation}, {"content", content_json(cluster.content)},
      {"ready", cluster.ready},   {"documents", cluster.documents},   {"partitions", partitions_json(cluster)}};
  out["leaves"] = Json::array();
  for (const LeafView& leaf : cluster.leaves) out["leaves"].push_back(leaf_json(leaf));
  const auto cache = service.cache().counters();
  out["broker"] = {{"version", version},
                   {"in_flight", service.in_flight()},
                   {"in_flight_limit", service.admission().limits().all},
                   {"cache",
                    {{"entries", cache.entries},
                     {"bytes", cache.bytes},
                     {"limit_bytes", service.cache().budget()},
                     {"hits", cache.hits},
                     {"misses", cache.misses},
                     {"coalesced", service.flights().joined()}}}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string collections_json(const std::vector<std::string>& names) {
  return Json{{"collections", names}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace frond::broker::http
