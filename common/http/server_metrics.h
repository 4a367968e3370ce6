#pragma once
// The metrics of an HTTP server, the same in every process that has one.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/http/server.h"
#include "common/metrics/registry.h"

namespace frond::http {

namespace families {
using metrics::Family;
inline constexpr Family kHttpRequests{"frond_http_requests_total", "HTTP requests answered, by route and status."};
inline constexpr Family kHttpTime{"frond_http_request_duration_seconds", "HTTP requests, by route."};
inline constexpr Family kHttpConnections{"frond_http_connections", "Open HTTP connections, by listener."};
inline constexpr Family kHttpConnectionsLimit{"frond_http_connections_limit",
                                              "Limit of frond_http_connections, by listener."};
inline constexpr Family kHttpOfAddress{"frond_http_connections_of_an_address",
                                       "Open HTTP connections of the client address that has the most, by listener; "
                                       "IPv6 addresses count by their first 64 bits."};
inline constexpr Family kHttpOfAddressLimit{"frond_http_connections_of_an_address_limit",
                                            "Limit of frond_http_connections_of_an_address, by listener."};
inline constexpr Family kHttpBodyBytes{"frond_http_body_bytes",
                                       "Bytes of requests that are received or not answered yet, by listener."};
inline constexpr Family kHttpBodyLimit{"frond_http_body_limit_bytes", "Limit of frond_http_body_bytes, by listener."};
inline constexpr Family kHttpUnsentBytes{"frond_http_unsent_bytes",
                                         "Bytes of answers that clients have not received yet, by listener."};
inline constexpr Family kHttpUnsentLimit{"frond_http_unsent_limit_bytes",
                                         "Limit of frond_http_unsent_bytes, by listener."};
inline constexpr Family kHttpRefused{
    "frond_http_refused_total",
    "Connections and requests refused to keep room for other clients, by listener and reason."};
inline constexpr Family kHttpClosed{
    "frond_http_closed_total",
    "Connections that the server closed because the client was slow, to make room, or since a file could not be read, "
    "by listener and reason."};
}  // namespace families

// An HTTP server's connections and limits (its group's, if it has one), labelled with its listener's name. The server
// must outlive the registry's last exposition.
void export_server(metrics::Registry& registry, const Server& server, const std::string& listener);

// For Server::Config::on_answer. One thread.
class RequestMetrics {
 public:
  explicit RequestMetrics(metrics::Registry& registry) : registry_(registry) {}
  void count(std::string_view route, int status, double seconds);

 private:
  struct Route {
    metrics::Counter requests;
    metrics::Histogram time;
  };
  metrics::Registry& registry_;
  std::map<std::pair<std::string_view, int>, Route> routes_;  // the routes are literals
};

}  // namespace frond::http
