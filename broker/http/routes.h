#pragma once
// The broker's routes (docs/http-api.md): each turns a request into a call and the result into a response. Broker's
// thread only.
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
  std::function<bool()> draining;        // true: /readyz is 503
  std::function<std::string()> stalled;  // names a loop that does not turn: /livez is 503; empty: all turn
};

frond::http::Router make_routes(RouteTargets targets);
// Only the routes for operators and probes: /livez, /readyz, /metrics, /v1/cluster. make_routes() has them too.
frond::http::Router make_admin_routes(RouteTargets targets);

}  // namespace frond::broker::http
