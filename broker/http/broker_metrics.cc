#include "broker/http/broker_metrics.h"

namespace frond::broker::http {

SearchMetrics::SearchMetrics(metrics::Registry& registry) {
  static constexpr const char* kOutcomes[] = {"whole",       "degraded", "invalid",  "overloaded",
                                              "unavailable", "deadline", "abandoned"};
  static_assert(std::size(kOutcomes) == std::tuple_size_v<decltype(outcomes_)>);
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    outcomes_[i] = registry.counter(families::kSearches, {{"outcome", kOutcomes[i]}});
  for (std::size_t i = 0; i < times_.size(); ++i)
    times_[i] = registry.histogram(families::kSearchTime, metrics::latency_seconds(),
                                   {{"cache", std::string(name_of(static_cast<CacheUse>(i)))}});
}

void SearchMetrics::count(Outcome outcome, CacheUse use, double seconds) {
  count(outcome);
  times_[static_cast<std::size_t>(use)].observe(seconds);
}

void SearchMetrics::count(Outcome outcome) { outcomes_[static_cast<std::size_t>(outcome)].add(); }

void HttpMetrics::count(std::string_view route, int status, double seconds) {
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

void export_server(metrics::Registry& registry, const frond::http::Server& server, const std::string& listener) {
  registry.before_scrape([&registry, &server, listener] {
    const auto set = [&](const metrics::Family& family, std::size_t value) {
      registry.gauge(family, {{"listener", listener}}).set(static_cast<double>(value));
    };
    const auto follow = [&](const metrics::Family& family, const char* reason, std::uint64_t count) {
      registry.following_counter(family, {{"listener", listener}, {"reason", reason}}).follow(count);
    };
    const auto refused = [&](const char* reason, std::uint64_t count) {
      follow(families::kHttpRefused, reason, count);
    };
    const auto closed = [&](const char* reason, std::uint64_t count) { follow(families::kHttpClosed, reason, count); };
    const frond::http::Server::Counters now = server.counters();
    const frond::http::Server::Config& limits = server.config();
    set(families::kHttpConnections, now.connections);
    set(families::kHttpConnectionsLimit, limits.max_connections);
    set(families::kHttpBodyBytes, now.body_bytes);
    set(families::kHttpBodyLimit, limits.max_body_bytes);
    set(families::kHttpUnsentBytes, now.unsent_bytes);
    set(families::kHttpUnsentLimit, limits.max_unsent_bytes);
    set(families::kHttpOfAddress, now.most_of_an_address);
    set(families::kHttpOfAddressLimit, frond::http::Server::connections_of_an_address(limits));
    refused("connections", now.refused_connections);
    refused("address", now.refused_of_address);
    refused("bodies", now.refused_bodies);
    refused("answers", now.refused_answers);
    closed("room", now.gave_way);
    closed("header", now.slow_headers);
    closed("body", now.slow_bodies);
    closed("reader", now.slow_readers);
    closed("idle", now.idle);
  });
}

}  // namespace frond::broker::http
