#include "common/http/server/server_metrics.h"

#include <cstdint>

namespace frond::http {
namespace {

constexpr metrics::Family kHttpRefused{
    "frond_http_refused_total",
    "Connections and requests refused to keep room for other clients, by listener and reason."};
constexpr metrics::Family kHttpClosed{"frond_http_closed_total",
                                      "Connections that the server closed because the client was slow, to make room, "
                                      "or since a file could not be read, by listener and reason."};

}  // namespace

// The same family and labels give the same handle. It is looked up at each scrape, which is rare.
void export_server(metrics::Registry& registry, const Server& server, const std::string& listener) {
  registry.before_scrape([&registry, &server, listener] {
    const auto gauge = [&](const metrics::Family& family, std::size_t value) {
      registry.gauge(family, {{"listener", listener}}).set(static_cast<double>(value));
    };
    const auto refused = [&](const char* reason, std::uint64_t count) {
      registry.following_counter(kHttpRefused, {{"listener", listener}, {"reason", reason}}).follow(count);
    };
    const auto closed = [&](const char* reason, std::uint64_t count) {
      registry.following_counter(kHttpClosed, {{"listener", listener}, {"reason", reason}}).follow(count);
    };
    const Server::Counters now = server.counters();
    const Server::Config& limits = server.config();
    gauge({"frond_http_connections", "Open HTTP connections, by listener."}, now.connections);
    gauge({"frond_http_connections_limit", "Limit of frond_http_connections, by listener."}, limits.max_connections);
    gauge({"frond_http_body_bytes", "Bytes of requests that are received or not answered yet, by listener."},
          now.body_bytes);
    gauge({"frond_http_body_limit_bytes", "Limit of frond_http_body_bytes, by listener."}, limits.max_body_bytes);
    gauge({"frond_http_unsent_bytes", "Bytes of answers that clients have not received yet, by listener."},
          now.unsent_bytes);
    gauge({"frond_http_unsent_limit_bytes", "Limit of frond_http_unsent_bytes, by listener."}, limits.max_unsent_bytes);
    gauge({"frond_http_connections_of_an_address",
           "Open HTTP connections of the client address that has the most, by listener; IPv6 addresses count by their "
           "first 64 bits."},
          now.most_of_an_address);
    gauge({"frond_http_connections_of_an_address_limit", "Limit of frond_http_connections_of_an_address, by listener."},
          Server::connections_of_an_address(limits));
    refused("connections", now.refused_connections);
    refused("address", now.refused_of_address);
    refused("bodies", now.refused_bodies);
    refused("answers", now.refused_answers);
    closed("room", now.gave_way);
    closed("header", now.slow_headers);
    closed("body", now.slow_bodies);
    closed("reader", now.slow_readers);
    closed("idle", now.idle);
    closed("file", now.failed_reads);
  });
}

void RequestMetrics::count(const AnsweredRequest& request) {
  const auto [at, is_new] = routes_.try_emplace({request.route, request.status});
  if (is_new) {
    const std::string label(request.route.empty() ? "none" : request.route);
    at->second.requests =
        registry_.counter({"frond_http_requests_total", "HTTP requests answered, by route and status."},
                          {{"route", label}, {"code", std::to_string(request.status)}});
    at->second.time = registry_.histogram({"frond_http_request_duration_seconds", "HTTP requests, by route."},
                                          metrics::latency_seconds(), {{"route", label}});
  }
  at->second.requests.add();
  at->second.time.observe(request.seconds);
}

}  // namespace frond::http
