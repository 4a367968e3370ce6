#pragma once
// The leaf's HTTP side: /metrics, /livez, /readyz.
#include <cstddef>
#include <functional>
#include <string>

#include "common/http/router.h"
#include "common/metrics/registry.h"
#include "common/repository/repository.h"
#include "leaf/generation/served_generation.h"
#include "leaf/serve/leaf_service.h"

namespace frond::leaf {

// Max connections. Probes and scrapes need few; other clients must not use up the file descriptors of the leaf.
inline constexpr std::size_t kProbeConnections = 128;

// All outlive the router. /livez is 200 while `stalled` returns an empty string, otherwise 503 with its sentence: one
// of the leaf's loops is stalled, and only a restart helps. /readyz is 200 while LeafService::ready(), otherwise 503.
// /readyz returns a JSON object: ready, generation, detail. /livez returns one, too: live, and with 503 detail.
http::Router probe_routes(metrics::Registry& registry, const serve::LeafService& service,
                          const generation::ServedBoard& board, std::function<std::string()> stalled);

// Exports the bytes and faults of transfers from the repository as metrics. `source` outlives the registry's last
// exposition.
void export_transfers(metrics::Registry& registry, const repository::RepositorySource& source);
// The requests to an object store. `requests` outlives the registry's last exposition.
void export_object_requests(metrics::Registry& registry, const objects::Counts& requests);
// /metrics, /livez and /readyz of a leaf that has not begun to serve, with the reason `why`: live, not ready.
// `registry` outlives the router.
http::Router waiting_routes(metrics::Registry& registry, const std::string& why);

}  // namespace frond::leaf
