#pragma once
// Requests to an object store as metrics, the same in every process that makes them.
#include "common/metrics/registry.h"
#include "common/objects/counts.h"

namespace frond::objects {

// A process's names for them.
struct RequestFamilies {
  metrics::Family requests;  // by kind and outcome
  metrics::Family seconds;   // by kind
  metrics::Family bytes;     // by direction
  metrics::Family retries;
};

// `counts` outlives the registry's last exposition.
void export_requests(metrics::Registry& registry, const RequestFamilies& families, const Counts& counts);

}  // namespace frond::objects
