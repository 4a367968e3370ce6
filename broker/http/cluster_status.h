#pragma once
// The body of GET /v1/cluster: this broker's view of the cluster as JSON.
#include <string>
#include <string_view>

#include "broker/http/broker_status.h"
#include "broker/http/search_service.h"

namespace frond::broker::http {

std::string cluster_json(const ClusterView& cluster, const SearchService& service, std::string_view collection,
                         std::string_view version);

// {"collections": [name, …]} and a newline, for /v1/collections.
std::string collections_json(const std::vector<std::string>& names);

}  // namespace frond::broker::http
