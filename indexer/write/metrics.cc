#include "indexer/write/metrics.h"

namespace frond::indexer::write {

WriteMetrics::WriteMetrics(metrics::Registry& registry)
    : accepted(registry.counter(families::kAccepted)),
      published(registry.counter(families::kPublications, {{"outcome", "ok"}})),
      failed(registry.counter(families::kPublications, {{"outcome", "failed"}})),
      compacted(registry.counter(families::kCompactions, {{"outcome", "ok"}})),
      compactions_failed(registry.counter(families::kCompactions, {{"outcome", "failed"}})),
      publish_seconds(registry.histogram(families::kPublishSeconds, metrics::latency_seconds())),
      pending(registry.gauge(families::kPending)),
      pending_bytes(registry.gauge(families::kPendingBytes)),
      writing(registry.gauge(families::kCollections, {{"state", "writing"}})),
      standby(registry.gauge(families::kCollections, {{"state", "standby"}})) {}

}  // namespace frond::indexer::write
