#pragma once
// Copies what the broker's parts count into its metrics at each scrape. What is exported must outlive the registry's
// last exposition.
#include <functional>
#include <string>
#include <vector>

#include "broker/http/broker_status.h"
#include "broker/http/search_service.h"
#include "common/base/liveness.h"
#include "common/base/mutex.h"
#include "common/http/server.h"
#include "common/metrics/registry.h"

namespace frond::broker::http {

// The cache and the searches in flight, of all threads. Read at each exposition, on its thread.
void export_shared(metrics::Registry& registry, const SearchService::Shared& shared);
// The age of each loop. `loops` may be called on any thread.
void export_loops(metrics::Registry& registry, std::function<std::vector<Loop>()> loops, const Clock& clock);

// Requests to leaves and the cluster. They are counted on each thread, so the route /metrics collects them and calls
// show() before an exposition. Failed handshakes are shown with CURVE and without: a leaf may use it all the same.
// Thread-safe.
class StatusMetrics {
 public:
  // `collections`: the broker's. With more than one, what concerns leaves and generations has a label of that name.
  // `replicas`: how many leaves each partition is meant to have; 0: as many as the one with the most.
  explicit StatusMetrics(metrics::Registry& registry, std::vector<std::string> collections = {},
                         std::size_t replicas = 0)
      : registry_(registry), collections_(std::move(collections)), replicas_(replicas) {}
  void show(const BrokerStatus& status);

 private:
  metrics::Registry& registry_;
  const std::vector<std::string> collections_;
  const std::size_t replicas_;
  Mutex mutex_;  // of two scrapes at once
};

}  // namespace frond::broker::http
