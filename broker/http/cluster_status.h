#pragma once
// GET /v1/cluster: what this broker knows of the cluster, as JSON.
#include <string>

#include "broker/cluster/cluster_map.h"
#include "broker/http/search_service.h"

namespace frond::broker::http {

std::string cluster_json(const cluster::ClusterMap& map, const SearchService& service, std::string_view collection,
                         std::string_view version, const Clock& clock);

}  // namespace frond::broker::http
