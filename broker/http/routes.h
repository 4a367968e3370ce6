#pragma once
// The broker's routes (docs/http-api.md), each a few lines over what answers it.
#include <functional>
#include <string>

#include "broker/http/cluster_status.h"
#include "broker/http/multi_search.h"
#include "broker/http/search_service.h"
#include "common/http/router.h"
#include "common/metrics/registry.h"

namespace frond::broker::http {

inline constexpr std::size_t kMaxSearchBody = 64 << 10;  // POST /v1/search; more: 413
inline constexpr std::size_t kMaxBatchBody = 8 << 20;    // POST /v1/msearch

struct RouteTargets {
  SearchService& service;
  MultiSearch& multi_search;
  const cluster::ClusterMap& map;
  metrics::Registry& registry;
  const Clock& clock;
  std::string collection, version;
  std::function<bool()> draining;        // then /readyz is 503
  std::function<std::string()> stalled;  // which loop does not turn: then /livez is 503; empty: all do
};

frond::http::Router make_routes(RouteTargets targets);
// Of these, what operators and probes ask for: /livez, /readyz, /metrics, /v1/cluster. make_routes() has them, too.
frond::http::Router make_admin_routes(RouteTargets targets);

// Exports what the map, the scatter context and the cache count. All must outlive the registry's last exposition.
void export_broker(metrics::Registry& registry, const cluster::ClusterMap& map, const scatter::ScatterContext& scatter,
                   const SearchService& service, const MultiSearch& multi_search);

}  // namespace frond::broker::http
