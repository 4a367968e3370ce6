// Copies what the broker's parts count into its metrics at each scrape.
#include <algorithm>
#include <utility>

#include "broker/http/monitoring/broker_status.h"

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

void show_cache(metrics::Registry& registry, const SearchService::Shared& shared) {
  const auto cache = shared.cache.counters();
  follow(registry, families::kCacheHits, cache.hits);
  follow(registry, families::kCacheMisses, cache.misses);
  follow(registry, families::kCacheCoalesced, shared.flights.joined());
  follow(registry, families::kCacheEvictions, cache.evictions);
  follow(registry, families::kCacheStored, cache.stored);
  follow(registry, families::kCacheTooLarge, cache.too_large);
  set(registry, families::kCacheBytes, static_cast<double>(cache.bytes));
  set(registry, families::kCacheLimit, static_cast<double>(shared.cache.budget()));
  set(registry, families::kCacheEntries, static_cast<double>(cache.entries));
}

void show_admission(metrics::Registry& registry, const Admission& admission) {
  const Admission::Taken taken = admission.taken();
  set(registry, families::kInFlight, static_cast<double>(taken.all));
  set(registry, families::kInFlightLimit, static_cast<double>(admission.limits().all));
  set(registry, families::kPlaces, static_cast<double>(taken.places));
  set(registry, families::kMsearchInFlight, static_cast<double>(taken.batch));
  set(registry, families::kMsearchInFlightLimit, static_cast<double>(admission.limits().batch));
  set(registry, families::kCostlyInFlight, static_cast<double>(taken.costly));
  set(registry, families::kWaiting, static_cast<double>(taken.waiting));
  set(registry, families::kClients, static_cast<double>(taken.clients));
  set(registry, families::kCostlyInFlightLimit, static_cast<double>(admission.limits().costly));
}

void show_promises(metrics::Registry& registry, const SearchService::Shared& shared) {
  const auto taken = shared.admission.taken();
  const auto& limits = shared.admission.limits();
  shared.promises.expect(Promises::kBounded, taken.all <= limits.all && taken.batch <= limits.batch &&
                                                 taken.costly <= limits.costly &&
                                                 shared.cache.counters().bytes <= shared.cache.budget());
  for (std::size_t i = 0; i < Promises::kNames.size(); ++i)
    follow(registry, families::kBroken, shared.promises.broken(i), {{"promise", Promises::kNames[i]}});
}

void show_spans(metrics::Registry& registry, const SpanExport* spans) {
  if (spans == nullptr) return;
  const SpanExport::Counts counts = spans->counts();
  follow(registry, families::kSpans, counts.sent, {{"outcome", "sent"}});
  follow(registry, families::kSpans, counts.dropped, {{"outcome", "dropped"}});
  follow(registry, families::kSpans, counts.failed, {{"outcome", "failed"}});
}

void show_requests(metrics::Registry& registry, const BrokerStatus& status) {
  set(registry, families::kMsearchesLimit, static_cast<double>(status.max_msearches));
  follow(registry, families::kMsearchLate, status.msearch.late_lines);
  follow(registry, families::kMsearchAbandoned, status.msearch.abandoned);
  follow(registry, families::kLeafRequests, status.scatter.search_requests, {{"kind", "search"}});
  follow(registry, families::kLeafRequests, status.scatter.fetch_requests, {{"kind", "fetch"}});
  follow(registry, families::kLeafFailures, status.scatter.search_failures, {{"kind", "search"}});
  follow(registry, families::kLeafFailures, status.scatter.fetch_failures, {{"kind", "fetch"}});
  follow(registry, families::kFailovers, status.scatter.failovers);
  follow(registry, families::kHedges, status.hedging.sent);
  follow(registry, families::kHedgesWithheld, status.hedging.over_budget, {{"reason", "budget"}});
  follow(registry, families::kHedgesWithheld, status.hedging.overloaded, {{"reason", "overload"}});
  follow(registry, families::kLeafCancels, status.leaf_cancels);
  set(registry, families::kKnownTexts, static_cast<double>(status.known_texts_bytes));
  set(registry, families::kKnownTextsLimit, static_cast<double>(status.known_texts_limit));
  follow(registry, families::kHandshakeFailures, status.handshakes.key_refused, {{"reason", "key_refused"}});
  follow(registry, families::kHandshakeFailures, status.handshakes.mechanism, {{"reason", "mechanism"}});
  follow(registry, families::kHandshakeFailures, status.handshakes.closed, {{"reason", "closed"}});
  follow(registry, families::kHandshakeFailures, status.handshakes.protocol, {{"reason", "protocol"}});
}

// `collection`: empty: the broker has only one.
void show_cluster(metrics::Registry& registry, const ClusterView& cluster, const std::string& collection,
                  std::size_t replicas) {
  const auto set_of = [&](const metrics::Family& family, double value, metrics::Labels labels = {}) {
    if (!collection.empty()) labels.emplace_back("collection", collection);
    set(registry, family, value, labels);
  };
  double up = 0, draining = 0, down = 0, unlisted = 0, asked = 0;
  for (const LeafView& leaf : cluster.leaves) {
    (!leaf.healthy ? down : leaf.draining ? draining : up) += 1;
    unlisted += leaf.listed ? 0 : 1;
    asked += static_cast<double>(leaf.in_flight);
  }
  set_of(families::kLeaves, up, {{"state", "up"}});
  set_of(families::kLeaves, draining, {{"state", "draining"}});
  set_of(families::kLeaves, down, {{"state", "down"}});
  set_of(families::kLeavesUnlisted, unlisted);
  set_of(families::kLeafQueue, asked);
  set_of(families::kGeneration, static_cast<double>(cluster.generation));
  set_of(families::kPartitions, static_cast<double>(cluster.partitions.size()));
  set_of(families::kCovered, static_cast<double>(cluster.covered));
  set_of(families::kReady, cluster.ready ? 1 : 0);
  const auto [least, most] =
      std::minmax_element(cluster.partitions.begin(), cluster.partitions.end(),
                          [](const auto& a, const auto& b) { return a.leaves.size() < b.leaves.size(); });
  if (cluster.partitions.empty()) return;
  set_of(families::kReplicasLeast, static_cast<double>(least->leaves.size()));
  set_of(families::kReplicasWanted, static_cast<double>(replicas > 0 ? replicas : most->leaves.size()));
}

}  // namespace

void export_shared(metrics::Registry& registry, const SearchService::Shared& shared) {
  registry.before_scrape([&registry, &shared, slow = registry.following_counter(families::kSlow)]() mutable {
    show_cache(registry, shared);
    show_admission(registry, shared.admission);
    slow.follow(shared.slow.noted());
    show_spans(registry, shared.spans);
    show_promises(registry, shared);
    set(registry, families::kMsearches, static_cast<double>(shared.msearch_requests));
  });
}

void export_loops(metrics::Registry& registry, std::function<std::vector<Loop>()> loops, const Clock& clock) {
  registry.before_scrape([&registry, loops = std::move(loops), &clock] {
    for (const Loop& loop : loops())
      set(registry, families::kLoopAge, std::chrono::duration<double>(clock.now() - loop.turned).count(),
          {{"loop", std::string(loop.name)}});
  });
}

void StatusMetrics::show(const BrokerStatus& status) {
  const MutexLock lock(mutex_);
  show_requests(registry_, status);
  for (const auto& [collection, view] : status.clusters)
    show_cluster(registry_, view, labels_ ? collection : "", replicas_);
  if (!labels_) return;
  std::erase_if(shown_, [&](const std::string& name) {
    const bool gone = !status.clusters.contains(name);
    if (gone) registry_.remove("collection", name);
    return gone;
  });
  for (const auto& [collection, view] : status.clusters) shown_.insert(collection);
}

}  // namespace frond::broker::http
