// frond-broker: searches over HTTP, answered from the leaves of one collection. What it is made of, and in what order
// it ends.
//
// Threads: main runs the Asio loop, and everything of ours is on it: HTTP, query analysis, the result cache, leaf
// sockets, timers; nothing there blocks. ZeroMQ has one background thread for its connections, Asio's resolver one for
// names.
#include <malloc.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/leaf_dns.h"
#include "broker/cluster/timer_driver.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/curve.h"
#include "broker/http/routes.h"
#include "broker/http/tls_endpoint.h"
#include "broker/options.h"
#include "common/base/line_writer.h"
#include "common/base/liveness.h"
#include "common/base/server_process.h"
#include "common/config/options.h"
#include "common/http/host_list.h"
#include "common/http/server.h"
#include "common/metrics/registry.h"
#include "common/net/address.h"

namespace frond::broker {
namespace {

constexpr std::chrono::milliseconds kLastLines{1000};

int refuse(const Error& error) {
  write_stderr("frond-broker: " + error.message() + "\n");
  return 2;
}

// Tells this process from others of its name, and from itself after a restart. Not 0.
std::uint64_t random_instance() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

// Null: plain HTTP.
Result<std::unique_ptr<http::TlsEndpoint>> tls_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            Logger& log, metrics::Registry& registry) {
  if (options.tls_certificate.empty()) return std::unique_ptr<http::TlsEndpoint>();
  return http::TlsEndpoint::create(options.tls_certificate, options.tls_key, timers, log, registry);
}

std::vector<std::pair<std::string, std::string>> tls_headers_of(const Options& options) {
  if (options.hsts_seconds == 0) return {};
  return {{"Strict-Transport-Security", "max-age=" + std::to_string(options.hsts_seconds)}};
}

// Half of the open files are for leaves, logs and names: clients must not keep the broker from its leaves.
std::size_t connections_within(std::size_t descriptors, const Options& options, Logger& log) {
  if (options.max_connections <= descriptors / 2) return options.max_connections;
  log.warn("fewer HTTP connections than --max-connections: the limit of open files is too low",
           {{"connections", std::to_string(descriptors / 2)}, {"open_files", std::to_string(descriptors)}});
  return descriptors / 2;
}

frond::http::Server::Config http_config(const Options& options, std::size_t connections) {
  return {.listen = options.http,
          .max_header = 32 << 10,  // a query of 4 KiB may be three times as long when escaped
          .max_body_bytes = options.max_body_bytes,
          .max_connections = connections,
          .max_connections_per_address = options.max_connections_per_address,
          .max_unsent_bytes = options.max_unsent_bytes,
          .min_client_rate = options.min_client_rate,
          .hosts = *frond::http::HostList::parse(options.http_hosts),  // was checked
          .tls_headers = tls_headers_of(options)};
}

// For operators and probes alone, who compete with no searcher there. Null: no such listener.
Result<std::unique_ptr<frond::http::Server>> admin_server(boost::asio::io_context& io, const Options& options,
                                                          std::size_t descriptors,
                                                          std::function<void(std::string_view, int, double)> on_answer,
                                                          frond::http::Router router) {
  if (options.admin_http.empty()) return std::unique_ptr<frond::http::Server>();
  auto made = frond::http::Server::create(io,
                                          {.listen = options.admin_http,
                                           .max_connections = std::clamp<std::size_t>(descriptors / 16, 4, 64),
                                           .on_answer = std::move(on_answer)},
                                          std::move(router));
  if (!made) return std::move(made).error().within("--admin-http");
  return made;
}

int serve(const Options& options, std::size_t descriptors) {
  Logger log("frond-broker", options.log_level, options.log_buffer);
  const SteadyClock clock;
  boost::asio::io_context io(1);
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);  // from here on a signal drains
  metrics::Registry registry(config::version());
  export_log(registry, log);
  cluster::TimerQueue timers(clock);
  const cluster::TimerDriver driver(io, timers);

  auto curve = read_curve(options, log);
  if (!curve) return refuse(curve.error());
  const bool encrypted = curve->has_value();
  cluster::ZmqLeafClients clients(io, timers, log,
                                  {.max_in_flight = options.max_leaf_in_flight, .curve = *std::move(curve)});
  cluster::ClusterMap map(
      timers, log,
      {.collection = options.collection,
       .name = options.node_name,
       .instance = random_instance(),
       .poll = std::chrono::milliseconds(options.poll_ms)},
      [&](const std::string& endpoint, cluster::News news) { return clients.create(endpoint, std::move(news)); });
  scatter::ScatterContext scatter{
      map, timers, scatter::Hedging({.share = options.hedge_share, .max_leaf_in_flight = options.max_leaf_in_flight})};
  http::SearchMetrics search_metrics(registry);
  http::SearchService service(scatter,
                              {.default_timeout = std::chrono::milliseconds(options.default_timeout_ms),
                               .max_timeout = std::chrono::milliseconds(options.max_timeout_ms),
                               .max_depth = options.max_depth,
                               .max_terms = options.max_terms,
                               .allow_exhaustive = options.allow_exhaustive,
                               .in_flight = {.all = options.max_in_flight,
                                             .batch = options.max_msearch_in_flight,
                                             .costly = options.max_costly_in_flight},
                               .cache_bytes = options.cache_bytes},
                              search_metrics);
  http::MultiSearch multi_search(service, timers,
                                 {.timeout = std::chrono::milliseconds(options.max_msearch_timeout_ms)});
  http::HttpMetrics http_metrics(registry);
  bool draining = false;
  const auto tls = tls_endpoint_for(options, timers, log, registry);
  if (!tls) return refuse(tls.error());

  auto public_http = http_config(options, connections_within(descriptors, options, log));
  const auto count = [&](std::string_view route, int status, double took) { http_metrics.count(route, status, took); };
  public_http.on_answer = count;
  public_http.tls = *tls ? &(*tls)->identity() : nullptr;
  public_http.on_handshake_failure = [&](std::string_view reason) { (*tls)->count_failure(reason); };
  const auto is_draining = [&] { return draining; };
  const auto which_stalls = [&] {
    return stalled(clients.loops(), clock.now(), std::chrono::seconds(options.stall_seconds));
  };
  const http::RouteTargets targets{
      service,     multi_search, map, registry, clock, options.collection, std::string(config::version()),
      is_draining, which_stalls};
  auto http = frond::http::Server::create(io, std::move(public_http), http::make_routes(targets));
  if (!http) return refuse(std::move(http).error().within("--http"));
  const auto admin = admin_server(io, options, descriptors, count, http::make_admin_routes(targets));
  if (!admin) return refuse(admin.error());
  if (const auto set = map.set_leaves(options.leaves); !set) return refuse(set.error());
  std::optional<cluster::LeafDns> dns;
  if (!options.leaf_dns.empty()) {
    const auto name = *net::parse_host_port(options.leaf_dns);  // was checked
    dns.emplace(io, map, log, name.host, name.port, std::chrono::milliseconds(options.leaf_dns_interval_ms));
  }
  http::export_broker(registry, map, scatter, service, multi_search);
  registry.before_scrape([&] {
    for (const Loop& loop : clients.loops())
      registry.gauge(http::families::kLoopAge, {{"loop", std::string(loop.name)}})
          .set(std::chrono::duration<double>(clock.now() - loop.turned).count());
  });
  export_handshakes(registry, clients.handshake_failures());
  registry.before_scrape([&, cancels = registry.following_counter(http::families::kLeafCancels)]() mutable {
    cancels.follow(clients.cancels_sent());
  });
  http::export_server(registry, **http, "public");
  if (*admin) http::export_server(registry, **admin, "admin");
  log.info("started", {{"node", options.node_name},
                       {"collection", options.collection},
                       {"http_port", std::to_string((*http)->port())},
                       {"admin_port", *admin ? std::to_string((*admin)->port()) : "none"},
                       {"leaves", options.leaf_dns.empty() ? std::to_string(options.leaves.size()) : options.leaf_dns},
                       {"curve", encrypted ? "on" : "off"},
                       {"cache_bytes", std::to_string(options.cache_bytes)}});

  // Not ready at once, which the other listener goes on to tell; open requests are answered; a client that stalls has
  // no more than the drain time.
  boost::asio::steady_timer patience(io);
  signals.async_wait([&](const boost::system::error_code& cancelled, int signal) {
    if (cancelled) return;
    log.info("draining", {{"signal", std::to_string(signal)}, {"searches", std::to_string(service.in_flight())}});
    draining = true;
    (*http)->drain([&] { io.stop(); });
    patience.expires_after(std::chrono::milliseconds(options.drain_ms));
    patience.async_wait([&](const boost::system::error_code& ended) {
      if (!ended) io.stop();
    });
  });
  io.run();

  // What outlived the drain is answered with what there is, while everything that it refers to is still here.
  const bool looking_up = clients.looking_up() || (dns && dns->looking_up());
  clients.close();
  io.restart();
  io.poll();
  log.info("stopped");
  if (looking_up) log.flush(kLastLines);
  if (looking_up) std::_Exit(0);  // Asio's end would wait for a DNS that perhaps does not answer
  return 0;
}

}  // namespace
}  // namespace frond::broker

int main(int argc, char** argv) {
  // Large blocks go back to the system when they are freed. By default malloc keeps all that are not larger than the
  // first of them: the bodies of clients that have left, for instance.
  ::mallopt(M_MMAP_THRESHOLD, 512 << 10);
  try {
    const std::size_t descriptors = frond::prepare_server_process();
    const auto options = frond::broker::read_options(argc, argv);
    if (const int* const exit_code = std::get_if<int>(&options)) return *exit_code;
    return frond::broker::serve(std::get<frond::broker::Options>(options), descriptors);
  } catch (const std::exception& error) {
    frond::write_stderr(std::string("frond-broker: ") + error.what() + "\n");
    return 1;
  }
}
