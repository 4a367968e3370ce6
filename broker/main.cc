// frond-broker: answers searches over HTTP from the leaves of one collection. This file shows the parts that the
// process is made of, and the order in which they end.
//
// Threads: main runs the Asio loop, and all of our code runs on it: HTTP, query analysis, the result cache, leaf
// sockets, timers. Nothing there blocks. ZeroMQ has one background thread for its connections, and Asio's resolver one
// for names.
#include <malloc.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/leaf_dns.h"
#include "broker/cluster/timer_driver.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/curve.h"
#include "broker/http/metrics_export.h"
#include "broker/http/routes.h"
#include "broker/listeners.h"
#include "broker/options.h"
#include "common/base/line_writer.h"
#include "common/base/liveness.h"
#include "common/base/server_process.h"
#include "common/config/options.h"
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

// Distinguishes this process from others with its name, and from itself after a restart. Not 0.
std::uint64_t random_instance() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

cluster::ClusterMap::Config map_config(const Options& options) {
  return {.collection = options.collection,
          .name = options.node_name,
          .instance = random_instance(),
          .poll = std::chrono::milliseconds(options.poll_ms)};
}

http::SearchService::Config search_config(const Options& options) {
  return {.default_timeout = std::chrono::milliseconds(options.default_timeout_ms),
          .max_timeout = std::chrono::milliseconds(options.max_timeout_ms),
          .max_depth = options.max_depth,
          .max_terms = options.max_terms,
          .allow_exhaustive = options.allow_exhaustive,
          .in_flight = {.all = options.max_in_flight,
                        .batch = options.max_msearch_in_flight,
                        .costly = options.max_costly_in_flight},
          .cache_bytes = options.cache_bytes};
}

// What all parts use.
struct Runtime {
  explicit Runtime(const Options& options) : log("frond-broker", options.log_level, options.log_buffer) {
    export_log(registry, log);
  }
  Logger log;
  const SteadyClock clock;
  boost::asio::io_context io{1};
  boost::asio::signal_set signals{io, SIGTERM, SIGINT};  // from here on a signal drains
  metrics::Registry registry{config::version()};
  cluster::TimerQueue timers{clock};
  const cluster::TimerDriver driver{io, timers};
};

// From leaves to answers.
struct Search {
  Search(const Options& options, Runtime& runtime, std::optional<cluster::ZmqLeafClients::Curve> curve)
      : clients(runtime.io, runtime.timers, runtime.log,
                {.max_in_flight = options.max_leaf_in_flight, .curve = std::move(curve)}),
        map(runtime.timers, runtime.log, map_config(options),
            [this](const std::string& leaf, cluster::News news) { return clients.create(leaf, std::move(news)); }),
        scatter{map, runtime.timers,
                scatter::Hedging({.share = options.hedge_share, .max_leaf_in_flight = options.max_leaf_in_flight})},
        metrics(runtime.registry),
        service(scatter, search_config(options), metrics),
        multi_search(service, runtime.timers, {.timeout = std::chrono::milliseconds(options.max_msearch_timeout_ms)}) {}

  void export_to(metrics::Registry& registry, const Clock& clock) {
    http::export_broker(registry, map, scatter, service, multi_search);
    http::export_leaf_clients(registry, clients, clock);
  }

  cluster::ZmqLeafClients clients;
  cluster::ClusterMap map;
  scatter::ScatterContext scatter;
  http::SearchMetrics metrics;
  http::SearchService service;
  http::MultiSearch multi_search;
};

using Server = std::unique_ptr<frond::http::Server>;

void log_start(Logger& log, const Options& options, const Server& http, const Server& admin, bool encrypted) {
  log.info("started", {{"node", options.node_name},
                       {"collection", options.collection},
                       {"http_port", std::to_string(http->port())},
                       {"admin_port", admin ? std::to_string(admin->port()) : "none"},
                       {"leaves", options.leaf_dns.empty() ? std::to_string(options.leaves.size()) : options.leaf_dns},
                       {"curve", encrypted ? "on" : "off"},
                       {"cache_bytes", std::to_string(options.cache_bytes)}});
}

// Runs until a signal, then drains: /readyz is 503 at once, open requests are answered, and clients that stall have no
// more than the drain time.
void run(const Options& options, Runtime& runtime, const Search& search, frond::http::Server& http, bool& draining) {
  boost::asio::steady_timer patience(runtime.io);
  runtime.signals.async_wait([&](const boost::system::error_code& cancelled, int signal) {
    if (cancelled) return;
    runtime.log.info("draining",
                     {{"signal", std::to_string(signal)}, {"searches", std::to_string(search.service.in_flight())}});
    draining = true;
    http.drain([&] { runtime.io.stop(); });
    patience.expires_after(std::chrono::milliseconds(options.drain_ms));
    patience.async_wait([&](const boost::system::error_code& ended) {
      if (!ended) runtime.io.stop();
    });
  });
  runtime.io.run();
}

// Answers the requests that are still open after the drain, while everything that they refer to exists.
void finish(Runtime& runtime, Search& search, const std::optional<cluster::LeafDns>& dns) {
  const bool looking_up = search.clients.looking_up() || (dns && dns->looking_up());
  search.clients.close();
  runtime.io.restart();
  runtime.io.poll();
  runtime.log.info("stopped");
  if (looking_up) runtime.log.flush(kLastLines);
  if (looking_up) std::_Exit(0);  // Asio's destructor would wait for a DNS server that may not answer
}

int serve(const Options& options, std::size_t descriptors) {
  Runtime runtime(options);
  auto curve = read_curve(options, runtime.log);
  if (!curve) return refuse(curve.error());
  const bool encrypted = curve->has_value();
  Search search(options, runtime, *std::move(curve));
  http::HttpMetrics http_metrics(runtime.registry);
  const auto tls = tls_endpoint_for(options, runtime.timers, runtime.log, runtime.registry);
  if (!tls) return refuse(tls.error());

  bool draining = false;
  const auto count = [&](std::string_view route, int status, double took) { http_metrics.count(route, status, took); };
  const auto which_stalls = [&] {
    return stalled(search.clients.loops(), runtime.clock.now(), std::chrono::seconds(options.stall_seconds));
  };
  const http::RouteTargets targets{.service = search.service,
                                   .multi_search = search.multi_search,
                                   .map = search.map,
                                   .registry = runtime.registry,
                                   .clock = runtime.clock,
                                   .collection = options.collection,
                                   .version = std::string(config::version()),
                                   .draining = [&] { return draining; },
                                   .stalled = which_stalls};
  auto public_http = public_config(options, descriptors, runtime.log);
  public_http.on_answer = count;
  public_http.tls = *tls ? &(*tls)->identity() : nullptr;
  public_http.on_handshake_failure = [&](std::string_view reason) { (*tls)->count_failure(reason); };
  auto http = frond::http::Server::create(runtime.io, std::move(public_http), http::make_routes(targets));
  if (!http) return refuse(std::move(http).error().within("--http"));
  const auto admin = admin_server(runtime.io, options, descriptors, count, http::make_admin_routes(targets));
  if (!admin) return refuse(admin.error());

  if (const auto set = search.map.set_leaves(options.leaves); !set) return refuse(set.error());
  std::optional<cluster::LeafDns> dns;
  if (!options.leaf_dns.empty()) {
    const auto name = *net::parse_host_port(options.leaf_dns);  // was checked
    dns.emplace(runtime.io, search.map, runtime.log, name.host, name.port,
                std::chrono::milliseconds(options.leaf_dns_interval_ms));
  }
  search.export_to(runtime.registry, runtime.clock);
  http::export_server(runtime.registry, **http, "public");
  if (*admin) http::export_server(runtime.registry, **admin, "admin");
  log_start(runtime.log, options, *http, *admin, encrypted);
  run(options, runtime, search, **http, draining);
  finish(runtime, search, dns);
  return 0;
}

}  // namespace
}  // namespace frond::broker

int main(int argc, char** argv) {
  // Returns large blocks to the system when they are freed. By default malloc raises this threshold with the first
  // large block that is freed, and keeps later ones, such as request bodies.
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
