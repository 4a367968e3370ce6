#include "broker/http/cluster_status.h"

#include <nlohmann/json.hpp>

namespace frond::broker::http {
namespace {
using Json = nlohmann::ordered_json;

// Null: not known, because its leaves are older ones.
Json content_json(ContentId content) { return content == 0 ? Json() : Json(to_hex(content)); }

Json leaf_json(const cluster::LeafNode& leaf, const Clock& clock) {
  Json out = {{"address", leaf.endpoint}, {"healthy", leaf.healthy}};
  if (!leaf.last_error.empty()) out["error"] = leaf.last_error;
  out["failures"] = leaf.failures;
  out["in_flight"] = leaf.client->in_flight();
  out["generations"] = Json::array();
  out["gpu"] = "";
  if (!leaf.said) return out;
  const wire::HelloReply& said = *leaf.said;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - leaf.last_seen);
  out["last_seen_ms_ago"] = age.count();
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

Json partitions_json(const cluster::Topology& topology) {
  Json out = Json::array();
  for (std::size_t i = 0; i < topology.partitions.size(); ++i) {
    Json replicas = Json::array();
    for (const auto& leaf : topology.partitions[i].replicas) replicas.push_back(leaf->endpoint);
    Json partition = {{"partition", i}, {"leaves", std::move(replicas)}};
    if (!topology.partitions[i].replicas.empty()) partition["documents"] = topology.partitions[i].placement.documents;
    out.push_back(std::move(partition));
  }
  return out;
}
}  // namespace

std::string cluster_json(const cluster::ClusterMap& map, const SearchService& service, std::string_view collection,
                         std::string_view version, const Clock& clock) {
  const auto topology = map.topology();
  Json out = {{"collection", collection},
              {"generation", topology ? topology->generation : 0},
              {"content", content_json(topology ? topology->content : 0)},
              {"ready", map.ready()},
              {"documents", topology ? topology->statistics.documents : 0},
              {"partitions", topology ? partitions_json(*topology) : Json::array()}};
  out["leaves"] = Json::array();
  for (const auto& leaf : map.leaves()) out["leaves"].push_back(leaf_json(*leaf, clock));
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

}  // namespace frond::broker::http
