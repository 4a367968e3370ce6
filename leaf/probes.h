#pragma once
// The leaf's HTTP side: /metrics, /livez, /readyz.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/base/liveness.h"
#include "common/http/server/router.h"
#include "common/metrics/registry.h"
#include "common/repository/repository.h"
#include "leaf/serve/collections.h"

namespace frond::leaf {

// Max connections. Probes and scrapes need few; other clients must not use up the file descriptors of the leaf.
inline constexpr std::size_t kProbeConnections = 128;

// All outlive the router. /livez is 200 while `stalled` returns an empty string, otherwise 503 with its sentence: one
// of the leaf's loops is stalled, and only a restart helps. /readyz is 200 while Collections::why_not_ready() is empty,
// otherwise 503. /readyz returns a JSON object: ready, generation (of the first collection), detail; with several
// collections also `collections`, with the same of each. /livez returns one, too: live, and with 503 detail.
http::Router probe_routes(metrics::Registry& registry, const serve::Collections& collections,
                          std::function<std::string()> stalled);

// How long ago each of the loops that the leaf needs last turned, as a metric.
void export_loop_ages(metrics::Registry& registry, const Clock& clock, std::function<std::vector<Loop>()> loops);
// Exports the bytes and faults of transfers from the repository as metrics, of all collections together. What `now`
// uses outlives the registry's last exposition.
void export_transfers(metrics::Registry& registry, std::function<repository::TransferCounts()> now);
// The requests to an object store. `requests` outlives the registry's last exposition.
void export_object_requests(metrics::Registry& registry, const objects::Counts& requests);
// /metrics, /livez and /readyz of a leaf that has not begun to serve, with the reason `why`: live, not ready.
// `registry` outlives the router.
http::Router waiting_routes(metrics::Registry& registry, const std::string& why);

}  // namespace frond::leaf
