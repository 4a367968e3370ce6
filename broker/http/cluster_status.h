#pragma once
// The body of GET /v1/cluster: this broker's view of the cluster as JSON. Broker's thread only.
#include <string>

#include "broker/cluster/cluster_map.h"
#include "broker/http/search_service.h"

namespace frond::broker::http {

std::string cluster_json(const cluster::ClusterMap& map, const SearchService& service, std::string_view collection,
                         std::string_view version, const Clock& clock);

}  // namespace frond::broker::http
