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

// Probes and scrapes are few: others must not take the leaf's files.
inline constexpr std::size_t kProbeConnections = 128;

// All outlive the router. /livez is 200 while `stalled` gives an empty string, else 503 with its sentence: a loop of
// the leaf's does not turn, and only a restart helps. /readyz is 200 while LeafService::ready(), else 503;
// both with a JSON object: ready, generation, detail.
http::Router probe_routes(metrics::Registry& registry, const serve::LeafService& service,
                          const generation::ServedBoard& board, std::function<std::string()> stalled);

// What comes from the repository, in the metrics. `source` outlives the registry's last exposition.
void export_transfers(metrics::Registry& registry, const repository::RepositorySource& source);
// /metrics, /livez and /readyz of a leaf that has not begun to serve, and why: live, and not ready. `registry` outlives
// the router.
http::Router waiting_routes(metrics::Registry& registry, const std::string& why);

}  // namespace frond::leaf
