#pragma once
// The indexer's names of requests to an object store.
#include "common/objects/counts.h"

namespace frond::indexer {

inline constexpr objects::RequestFamilies kObjectFamilies{
    {"frond_indexer_object_requests_total", "Requests to the object store, by kind and outcome."},
    {"frond_indexer_object_request_seconds_total", "Seconds that they took, by kind."},
    {"frond_indexer_object_bytes_total", "Bytes of bodies, sent and received."},
    {"frond_indexer_object_retries_total", "Requests to the object store that were repeated."}};

}  // namespace frond::indexer
