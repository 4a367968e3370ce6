#include "indexer/write/metrics.h"

namespace frond::indexer::write {

WriteMetrics::WriteMetrics(metrics::Registry& registry)
    : accepted(registry.counter(families::kAccepted)),
      published(registry.counter(families::kPublications, {{"outcome", "ok"}})),
      failed(registry.counter(families::kPublications, {{"outcome", "failed"}})),
      compacted(registry.counter(families::kCompactions, {{"outcome", "ok"}})),
      compactions_failed(registry.counter(families::kCompactions, {{"outcome", "failed"}})),
      lease_taken(registry.counter(families::kLeases, {{"event", "taken"}})),
      lease_renewed(registry.counter(families::kLeases, {{"event", "renewed"}})),
      lease_failed(registry.counter(families::kLeases, {{"event", "failed"}})),
      lease_lost(registry.counter(families::kLeases, {{"event", "lost"}})),
      set_aside(registry.counter(families::kSetAside)),
      publish_seconds(registry.histogram(families::kPublishSeconds, metrics::latency_seconds())),
      pending(registry.gauge(families::kPending)),
      pending_bytes(registry.gauge(families::kPendingBytes)),
      pending_seconds(registry.gauge(families::kPendingSeconds)),
      not_indexed(registry.gauge(families::kNotIndexed)),
      writing(registry.gauge(families::kCollections, {{"state", "writing"}})),
      standby(registry.gauge(families::kCollections, {{"state", "standby"}})),
      refused(registry.gauge(families::kCollections, {{"state", "refused"}})) {}

}  // namespace frond::indexer::write
