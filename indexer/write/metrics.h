#pragma once
// Metrics of the indexer service's writing, over all its collections.
#include "common/metrics/registry.h"

namespace frond::indexer::write {

struct WriteMetrics {
  explicit WriteMetrics(metrics::Registry& registry);
  metrics::Counter accepted, published, failed, compacted, compactions_failed;
  metrics::Counter lease_taken, lease_renewed, lease_failed, lease_lost, set_aside;
  metrics::Histogram publish_seconds;
  metrics::Gauge pending, pending_bytes, pending_seconds, not_indexed, writing, standby, refused;
};

}  // namespace frond::indexer::write
