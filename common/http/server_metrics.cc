#include "common/http/server_metrics.h"

#include <cstdint>

namespace frond::http {

// The same family and labels give the same handle. It is looked up at each scrape, which is rare.
void export_server(metrics::Registry& registry, const Server& server, const std::string& listener) {
  registry.before_scrape([&registry, &server, listener] {
    const auto gauge = [&](const metrics::Family& family, std::size_t value) {
      registry.gauge(family, {{"listener", listener}}).set(static_cast<double>(value));
    };
    const auto refused = [&](const char* reason, std::uint64_t count) {
      registry.following_counter(families::kHttpRefused, {{"listener", listener}, {"reason", reason}}).follow(count);
    };
    const auto closed = [&](const char* reason, std::uint64_t count) {
      registry.following_counter(families::kHttpClosed, {{"listener", listener}, {"reason", reason}}).follow(count);
    };
    const Server::Counters now = server.counters();
    const Server::Config& limits = server.config();
    gauge(families::kHttpConnections, now.connections);
    gauge(families::kHttpConnectionsLimit, limits.max_connections);
    gauge(families::kHttpBodyBytes, now.body_bytes);
    gauge(families::kHttpBodyLimit, limits.max_body_bytes);
    gauge(families::kHttpUnsentBytes, now.unsent_bytes);
    gauge(families::kHttpUnsentLimit, limits.max_unsent_bytes);
    gauge(families::kHttpOfAddress, now.most_of_an_address);
    gauge(families::kHttpOfAddressLimit, Server::connections_of_an_address(limits));
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

void RequestMetrics::count(std::string_view route, int status, double seconds) {
  const auto [at, is_new] = routes_.try_emplace({route, status});
  if (is_new) {
    const std::string label(route.empty() ? "none" : route);
    at->second.requests =
        registry_.counter(families::kHttpRequests, {{"route", label}, {"code", std::to_string(status)}});
    at->second.time = registry_.histogram(families::kHttpTime, metrics::latency_seconds(), {{"route", label}});
  }
  at->second.requests.add();
  at->second.time.observe(seconds);
}

}  // namespace frond::http
