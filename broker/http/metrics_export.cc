#include "broker/http/metrics_export.h"

namespace frond::broker::http {
namespace {

// The same family and labels give the same handle. It is looked up at each scrape, which is rare.
void set(metrics::Registry& registry, const metrics::Family& family, double value, const metrics::Labels& labels = {}) {
  registry.gauge(family, labels).set(value);
}
void follow(metrics::Registry& registry, const metrics::Family& family, std::uint64_t count,
            const metrics::Labels& labels = {}) {
  registry.following_counter(family, labels).follow(count);
}

void export_cache(metrics::Registry& registry, const SearchService& service) {
  const auto cache = service.cache().counters();
  follow(registry, families::kCacheHits, cache.hits);
  follow(registry, families::kCacheMisses, cache.misses);
  follow(registry, families::kCacheCoalesced, service.flights().joined());
  follow(registry, families::kCacheEvictions, cache.evictions);
  follow(registry, families::kCacheStored, cache.stored);
  follow(registry, families::kCacheTooLarge, cache.too_large);
  set(registry, families::kCacheBytes, static_cast<double>(cache.bytes));
  set(registry, families::kCacheLimit, static_cast<double>(service.cache().budget()));
  set(registry, families::kCacheEntries, static_cast<double>(cache.entries));
}

void export_admission(metrics::Registry& registry, const SearchService& service, const MultiSearch& multi_search) {
  const Admission& admission = service.admission();
  set(registry, families::kInFlight, static_cast<double>(admission.all()));
  set(registry, families::kInFlightLimit, static_cast<double>(admission.limits().all));
  set(registry, families::kMsearchInFlight, static_cast<double>(admission.batch()));
  set(registry, families::kMsearchInFlightLimit, static_cast<double>(admission.limits().batch));
  set(registry, families::kCostlyInFlight, static_cast<double>(admission.costly()));
  set(registry, families::kCostlyInFlightLimit, static_cast<double>(admission.limits().costly));
  follow(registry, families::kMsearchLate, multi_search.counters().late_lines);
  follow(registry, families::kMsearchAbandoned, multi_search.counters().abandoned);
}

void export_scatter(metrics::Registry& registry, const scatter::ScatterContext& scatter) {
  follow(registry, families::kLeafRequests, scatter.counters.search_requests, {{"kind", "search"}});
  follow(registry, families::kLeafRequests, scatter.counters.fetch_requests, {{"kind", "fetch"}});
  follow(registry, families::kLeafFailures, scatter.counters.search_failures, {{"kind", "search"}});
  follow(registry, families::kLeafFailures, scatter.counters.fetch_failures, {{"kind", "fetch"}});
  follow(registry, families::kFailovers, scatter.counters.failovers);
  follow(registry, families::kHedges, scatter.hedging.counters().sent);
  follow(registry, families::kHedgesWithheld, scatter.hedging.counters().over_budget, {{"reason", "budget"}});
  follow(registry, families::kHedgesWithheld, scatter.hedging.counters().overloaded, {{"reason", "overload"}});
}

void export_cluster(metrics::Registry& registry, const cluster::ClusterMap& map) {
  double up = 0, draining = 0, down = 0, unlisted = 0, asked = 0;
  for (const auto& leaf : map.leaves()) {
    (!leaf->healthy ? down : leaf->draining() ? draining : up) += 1;
    unlisted += leaf->listed ? 0 : 1;
    asked += static_cast<double>(leaf->client->in_flight());
  }
  set(registry, families::kLeaves, up, {{"state", "up"}});
  set(registry, families::kLeaves, draining, {{"state", "draining"}});
  set(registry, families::kLeaves, down, {{"state", "down"}});
  set(registry, families::kLeavesUnlisted, unlisted);
  set(registry, families::kLeafQueue, asked);
  const auto topology = map.topology();
  set(registry, families::kGeneration, topology ? static_cast<double>(topology->generation) : 0);
  set(registry, families::kPartitions, topology ? static_cast<double>(topology->partitions.size()) : 0);
  set(registry, families::kCovered, topology ? static_cast<double>(topology->covered) : 0);
  set(registry, families::kReady, map.ready() ? 1 : 0);
}

void export_loops(metrics::Registry& registry, cluster::ZmqLeafClients& clients, const Clock& clock) {
  for (const Loop& loop : clients.loops())
    set(registry, families::kLoopAge, std::chrono::duration<double>(clock.now() - loop.turned).count(),
        {{"loop", std::string(loop.name)}});
}

}  // namespace

void export_broker(metrics::Registry& registry, const cluster::ClusterMap& map, const scatter::ScatterContext& scatter,
                   const SearchService& service, const MultiSearch& multi_search) {
  registry.before_scrape([&registry, &map, &scatter, &service, &multi_search] {
    export_cache(registry, service);
    export_admission(registry, service, multi_search);
    export_scatter(registry, scatter);
    export_cluster(registry, map);
  });
}

void export_leaf_clients(metrics::Registry& registry, cluster::ZmqLeafClients& clients, const Clock& clock) {
  registry.before_scrape([&registry, &clients, &clock] {
    export_loops(registry, clients, clock);
    follow(registry, families::kLeafCancels, clients.cancels_sent());
    const cluster::HandshakeFailures& failed = clients.handshake_failures();
    follow(registry, families::kHandshakeFailures, failed.key_refused, {{"reason", "key_refused"}});
    follow(registry, families::kHandshakeFailures, failed.mechanism, {{"reason", "mechanism"}});
    follow(registry, families::kHandshakeFailures, failed.closed, {{"reason", "closed"}});
    follow(registry, families::kHandshakeFailures, failed.protocol, {{"reason", "protocol"}});
  });
}

void export_server(metrics::Registry& registry, const frond::http::Server& server, const std::string& listener) {
  registry.before_scrape([&registry, &server, listener] {
    const auto gauge = [&](const metrics::Family& family, std::size_t value) {
      set(registry, family, static_cast<double>(value), {{"listener", listener}});
    };
    const auto refused = [&](const char* reason, std::uint64_t count) {
      follow(registry, families::kHttpRefused, count, {{"listener", listener}, {"reason", reason}});
    };
    const auto closed = [&](const char* reason, std::uint64_t count) {
      follow(registry, families::kHttpClosed, count, {{"listener", listener}, {"reason", reason}});
    };
    const frond::http::Server::Counters now = server.counters();
    const frond::http::Server::Config& limits = server.config();
    gauge(families::kHttpConnections, now.connections);
    gauge(families::kHttpConnectionsLimit, limits.max_connections);
    gauge(families::kHttpBodyBytes, now.body_bytes);
    gauge(families::kHttpBodyLimit, limits.max_body_bytes);
    gauge(families::kHttpUnsentBytes, now.unsent_bytes);
    gauge(families::kHttpUnsentLimit, limits.max_unsent_bytes);
    gauge(families::kHttpOfAddress, now.most_of_an_address);
    gauge(families::kHttpOfAddressLimit, frond::http::Server::connections_of_an_address(limits));
    refused("connections", now.refused_connections);
    refused("address", now.refused_of_address);
    refused("bodies", now.refused_bodies);
    refused("answers", now.refused_answers);
    closed("room", now.gave_way);
    closed("header", now.slow_headers);
    closed("body", now.slow_bodies);
    closed("reader", now.slow_readers);
    closed("idle", now.idle);
  });
}

}  // namespace frond::broker::http
