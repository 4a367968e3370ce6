#pragma once
// Copies what the broker's parts count into its metrics at each scrape. What is exported must outlive the registry's
// last exposition.
#include <string>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/http/multi_search.h"
#include "broker/http/search_service.h"
#include "broker/scatter/scatter_context.h"
#include "common/http/server.h"
#include "common/metrics/registry.h"

namespace frond::broker::http {

// The cache, searches in flight, requests to leaves, and the cluster.
void export_broker(metrics::Registry& registry, const cluster::ClusterMap& map, const scatter::ScatterContext& scatter,
                   const SearchService& service, const MultiSearch& multi_search);
// Cancellations, failed handshakes and the age of ZeroMQ's loop. With CURVE and without: a leaf may use it all the
// same.
void export_leaf_clients(metrics::Registry& registry, cluster::ZmqLeafClients& clients, const Clock& clock);
// An HTTP server's connections and limits, labelled with its listener's name.
void export_server(metrics::Registry& registry, const frond::http::Server& server, const std::string& listener);

}  // namespace frond::broker::http
