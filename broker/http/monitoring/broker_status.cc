#include "broker/http/monitoring/broker_status.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace frond::broker::http {
namespace {

LeafView view_of(const cluster::LeafNode& leaf, const Clock& clock) {
  return {.endpoint = leaf.endpoint,
          .last_error = leaf.last_error,
          .healthy = leaf.healthy,
          .draining = leaf.draining(),
          .listed = leaf.listed,
          .failures = leaf.failures,
          .in_flight = leaf.client->in_flight(),
          .last_seen_ago = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - leaf.last_seen),
          .said = leaf.said};
}

ClusterView view_of(const cluster::ClusterMap& map, const Clock& clock) {
  ClusterView view;
  view.ready = map.ready();
  for (const auto& leaf : map.leaves())
    if (!leaf->elsewhere) view.leaves.push_back(view_of(*leaf, clock));
  const auto topology = map.topology();
  if (!topology) return view;
  view.generation = topology->generation;
  view.content = topology->content;
  view.documents = topology->statistics.documents;
  view.covered = topology->covered;
  for (const auto& partition : topology->partitions) {
    auto& shown = view.partitions.emplace_back();
    for (const auto& leaf : partition.replicas) shown.leaves.push_back(leaf->endpoint);
    if (shown.leaves.empty()) continue;
    shown.documents = partition.placement.documents - partition.hidden;
    shown.hidden = partition.hidden;
  }
  return view;
}

// Adds another thread's view of a leaf.
void merge(LeafView& all, LeafView&& one) {
  if (all.healthy && !one.healthy) {
    all.healthy = false;
    all.last_error = std::move(one.last_error);
  }
  all.draining = all.draining || one.draining;
  all.listed = all.listed || one.listed;
  all.failures = std::max(all.failures, one.failures);
  all.in_flight = std::max(all.in_flight, one.in_flight);  // each thread knows that of all (zmq_leaf_client.h)
  if (!all.said) {
    all.said = std::move(one.said);
    all.last_seen_ago = one.last_seen_ago;
  }
}

void merge(ClusterView& all, ClusterView&& one) {
  const auto rank = [](const ClusterView& view) {
    const double share =
        view.partitions.empty() ? 0 : static_cast<double>(view.covered) / static_cast<double>(view.partitions.size());
    return std::tuple(view.ready, share, view.generation);
  };
  auto other = std::move(one.leaves);
  if (rank(one) < rank(all)) {
    auto leaves = std::move(all.leaves);
    all = std::move(one);
    all.leaves = std::move(leaves);
  }
  for (LeafView& leaf : other) {
    const auto known = std::find_if(all.leaves.begin(), all.leaves.end(),
                                    [&](const LeafView& shown) { return shown.endpoint == leaf.endpoint; });
    if (known == all.leaves.end())
      all.leaves.push_back(std::move(leaf));
    else
      merge(*known, std::move(leaf));
  }
}

void add_counts(BrokerStatus& all, const BrokerStatus& one) {
  all.scatter.search_requests += one.scatter.search_requests;
  all.scatter.fetch_requests += one.scatter.fetch_requests;
  all.scatter.search_failures += one.scatter.search_failures;
  all.scatter.fetch_failures += one.scatter.fetch_failures;
  all.scatter.failovers += one.scatter.failovers;
  all.hedging.sent += one.hedging.sent;
  all.hedging.over_budget += one.hedging.over_budget;
  all.hedging.overloaded += one.hedging.overloaded;
  all.msearch.late_lines += one.msearch.late_lines;
  all.msearch.abandoned += one.msearch.abandoned;
  all.handshakes.key_refused += one.handshakes.key_refused;
  all.handshakes.mechanism += one.handshakes.mechanism;
  all.handshakes.closed += one.handshakes.closed;
  all.handshakes.protocol += one.handshakes.protocol;
  all.leaf_cancels += one.leaf_cancels;
  all.known_texts_bytes += one.known_texts_bytes;
  all.known_texts_limit += one.known_texts_limit;
}

}  // namespace

BrokerStatus status_of(const cluster::ClusterMap& map, const Clock& clock, const scatter::ScatterContext& scatter,
                       const SearchService& service, const MultiSearch& multi_search,
                       const cluster::ZmqLeafClients* clients) {
  BrokerStatus status{.clusters = {{map.collection(), view_of(map, clock)}},
                      .scatter = scatter.counters,
                      .hedging = scatter.hedging.counters(),
                      .msearch = multi_search.counters(),
                      .max_msearches = multi_search.max_requests(),
                      .handshakes = {},
                      .leaf_cancels = 0,
                      .known_texts_bytes = service.known_texts().bytes(),
                      .known_texts_limit = service.known_texts().budget()};
  if (clients != nullptr) {
    status.handshakes = clients->handshake_failures();
    status.leaf_cancels = clients->cancels_sent();
  }
  return status;
}

void add_collection(BrokerStatus& all, BrokerStatus&& one) {
  all.clusters.merge(one.clusters);
  all.max_msearches = one.max_msearches;
  add_counts(all, one);
}

void merge(BrokerStatus& all, BrokerStatus&& one) {
  for (auto& [name, view] : one.clusters) {
    const auto [known, added] = all.clusters.try_emplace(name, std::move(view));
    if (!added) merge(known->second, std::move(view));  // NOLINT(bugprone-use-after-move): it was not taken
  }
  add_counts(all, one);
}

namespace {
using Json = nlohmann::ordered_json;

// Null: not known, because its leaves are older ones.
Json content_json(ContentId content) { return content == 0 ? Json() : Json(to_hex(content)); }

// Nothing: an older leaf tells neither.
void add_machine(Json& out, const std::string& machine, const std::vector<Budget>& budgets) {
  if (!machine.empty()) out["machine"] = machine;
  if (!budgets.empty()) out["budgets"] = budgets;
}

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
  add_machine(out, said.machine, said.budgets);
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
                         const Identity& broker) {
  Json out = {
      {"collection", collection}, {"generation", cluster.generation}, {"content", content_json(cluster.content)},
      {"ready", cluster.ready},   {"documents", cluster.documents},   {"partitions", partitions_json(cluster)}};
  out["leaves"] = Json::array();
  for (const LeafView& leaf : cluster.leaves) out["leaves"].push_back(leaf_json(leaf));
  const auto cache = service.cache().counters();
  out["broker"] = {{"version", broker.version},
                   {"in_flight", service.in_flight()},
                   {"in_flight_limit", service.admission().limits().all},
                   {"cache",
                    {{"entries", cache.entries},
                     {"bytes", cache.bytes},
                     {"limit_bytes", service.cache().budget()},
                     {"hits", cache.hits},
                     {"misses", cache.misses},
                     {"coalesced", service.flights().joined()}}}};
  add_machine(out["broker"], broker.machine, broker.budgets);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string collections_json(const std::vector<std::string>& names) {
  return Json{{"collections", names}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace frond::broker::http
