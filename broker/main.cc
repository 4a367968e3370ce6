// frond-broker: answers searches over HTTP from the leaves of one or more collections. This file shows the parts that
// the process is made of, and the order in which they end.
//
// Threads: --threads of them run searches, main and as many more as are needed; each has an Asio loop of its own, and
// all that belongs to it runs there: HTTP, query analysis, leaf sockets, timers (search_loop.h). They share the result
// cache, the flights and the limits, under short locks. Nothing there blocks. Main also serves probes and operators,
// takes signals, and looks leaves up. With --indexer-service, change × 8 wait for the indexer's service; with --otlp,
// span-export for the collector. Each loop has a background thread of Asio's resolver if it looks up names. jemalloc
// has one.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/cluster/leaf_dns.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/http/change_forwarder.h"
#include "broker/http/monitoring/broker_status.h"
#include "broker/http/monitoring/span_export.h"
#include "broker/http/routes.h"
#include "broker/http/tls_endpoint.h"
#include "broker/options.h"
#include "broker/search_loop.h"
#include "broker/search_loops.h"
#include "common/base/line_writer.h"
#include "common/base/log.h"
#include "common/base/process.h"
#include "common/base/result.h"
#include "common/base/threads/thread_name.h"
#include "common/config/options.h"
#include "common/files/read.h"
#include "common/http/server/router.h"
#include "common/http/server/server.h"
#include "common/http/server/server_metrics.h"
#include "common/keys/api_key.h"
#include "common/keys/guard.h"
#include "common/metrics/registry.h"
#include "common/net/address.h"
#include "common/wire/messages.h"

// Read by jemalloc when the process starts: memory that was freed, such as bodies of requests, goes back to the system
// within about a second, also where no thread allocates any more: by a thread of its own. The process never forks.
extern "C" {
const char* malloc_conf = "background_thread:true,max_background_threads:1,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace frond::broker {
namespace {

// The broker's CURVE keys and the leaves', read from the files that its options name. None: the options name no keys,
// so CURVE is not used. Errors name the flag and the file. Logs a warning if every user of the machine can read the
// secret key.
Result<std::optional<cluster::ZmqLeafClients::Curve>> read_curve(const Options& options, Logger& log) {
  if (options.curve_secret_key.empty()) return std::optional<cluster::ZmqLeafClients::Curve>();
  auto own = wire::read_curve_secret_key(options.curve_secret_key);
  if (!own) return std::move(own).error().within("--curve-secret-key");
  auto leaf = wire::read_curve_public_key(options.curve_leaf_key);
  if (!leaf) return std::move(leaf).error().within("--curve-leaf-key");
  if (wire::readable_by_everybody(options.curve_secret_key))
    log.warn("everybody on this machine can read the secret key", {{"file", options.curve_secret_key}});
  return std::optional(cluster::ZmqLeafClients::Curve{*std::move(own), *std::move(leaf)});
}

// With which the broker itself asks the indexer's service; empty: without one. Errors name the flag and the file.
Result<std::string> read_indexer_key(const Options& options) {
  if (options.indexer_key.empty()) return std::string();
  constexpr std::size_t kMaxFile = 4 << 10;
  auto text = files::read_text(options.indexer_key, kMaxFile);
  if (!text) return std::move(text).error().within("--indexer-key");
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  if (!keys::is_key(*text)) return Error(Code::kInvalid, "--indexer-key: " + options.indexer_key + " has no API key");
  return text;
}

std::vector<std::pair<std::string, std::string>> tls_headers_of(const Options& options) {
  if (options.hsts_seconds == 0) return {};
  return {{"Strict-Transport-Security", "max-age=" + std::to_string(options.hsts_seconds)}};
}

std::size_t connections_within(std::size_t descriptors, const Options& options, Logger& log) {
  if (options.max_connections <= descriptors / 2) return options.max_connections;
  log.warn("fewer HTTP connections than --max-connections: the limit of open files is too low",
           {{"connections", std::to_string(descriptors / 2)}, {"open_files", std::to_string(descriptors)}});
  return descriptors / 2;
}

// Null: plain HTTP.
Result<std::unique_ptr<http::TlsEndpoint>> tls_endpoint_for(const Options& options, cluster::TimerQueue& timers,
                                                            Logger& log, metrics::Registry& registry) {
  if (options.tls_certificate.empty()) return std::unique_ptr<http::TlsEndpoint>();
  return http::TlsEndpoint::create(options.tls_certificate, options.tls_key, timers, log, registry);
}

constexpr std::chrono::seconds kKeysInterval{1};  // of reading the key file again, usually from the page cache
// Reads the API keys. The caller has the guard look() at their file again from time to time. Errors name the flag.
Result<std::unique_ptr<keys::Guard>> key_guard_for(const Options& options, const Clock& clock, Logger& log,
                                                   metrics::Registry& registry) {
  auto made = keys::Guard::create({.key_file = options.api_keys,
                                   .of_key = options.of_key,
                                   .of_address = options.of_address,
                                   .writing_is_checked_behind = !options.indexer_service.empty()},
                                  clock, log, registry);
  if (!made) return std::move(made).error().within("--api-keys");
  if (!options.api_keys.empty() && options.tls_certificate.empty())
    log.warn("API keys travel unencrypted to --http: give it a certificate, or put a proxy with TLS before it");
  return made;
}

static_assert(keys::kMaxWeight == wire::kMaxClientWeight);

// For any thread; null if there is nothing to check. The guard outlives whoever calls it.
frond::http::Gatekeeper gatekeeper_of(keys::Guard& guard) {
  if (!guard.does_something()) return nullptr;
  return [&guard](const frond::http::Request& header, const frond::http::ClientAddress& from,
                  frond::http::Access needed) { return guard.admit(header, from, needed); };
}

// The public listener without its callbacks and TLS. `descriptors`: how many files the process may open. Half of them
// are reserved for leaves, logs and names, so that clients cannot use up all of them; a smaller number of connections
// than --max-connections is logged.
frond::http::Server::Config public_config(const Options& options, std::size_t descriptors, Logger& log) {
  return {.listen = options.http,
          .max_header = 32 << 10,  // a query of 4 KiB has up to 12 KiB when escaped
          .max_body_bytes = options.max_body_bytes,
          .max_connections = connections_within(descriptors, options, log),
          .max_connections_per_address = options.max_connections_per_address,
          .max_unsent_bytes = options.max_unsent_bytes,
          .min_client_rate = options.min_client_rate,
          .hosts = *frond::http::HostList::parse(options.http_hosts),  // was checked
          .tls_headers = tls_headers_of(options)};
}

// The listener for operators and probes only, whose connections do not compete with those of clients. Null: none.
// Errors name the flag.
Result<std::unique_ptr<frond::http::Server>> admin_server(
    boost::asio::io_context& io, const Options& options, std::size_t descriptors,
    std::function<void(const frond::http::AnsweredRequest&)> on_answer, frond::http::Router router) {
  if (options.admin_http.empty()) return std::unique_ptr<frond::http::Server>();
  auto made = frond::http::Server::create(io,
                                          {.listen = options.admin_http,
                                           .max_connections = std::clamp<std::size_t>(descriptors / 16, 4, 64),
                                           .on_answer = std::move(on_answer)},
                                          std::move(router));
  if (!made) return std::move(made).error().within("--admin-http");
  return made;
}

constexpr std::chrono::milliseconds kLastLines{1000};

int refuse(const Error& error) {
  write_stderr("frond-broker: " + error.message() + "\n");
  return 2;
}

AsioLoops make_loops(std::size_t count) {
  AsioLoops loops;
  for (std::size_t i = 0; i < count; ++i) loops.push_back(std::make_unique<boost::asio::io_context>(1));
  return loops;
}

// What all parts use.
struct Runtime {
  explicit Runtime(const Options& options)
      : log("frond-broker", options.log_level, options.log_buffer), io(make_loops(options.threads)) {
    export_log(registry, log);
  }
  Logger log;
  const SteadyClock clock;
  AsioLoops io;
  boost::asio::io_context& main{*io.front()};
  boost::asio::signal_set signals{main, SIGTERM, SIGINT};  // from here on a signal drains
  metrics::Registry registry{config::version()};
};

using Server = std::unique_ptr<frond::http::Server>;

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void log_start(Logger& log, const Options& options, const frond::http::Server& http, const Server& admin,
               bool encrypted) {
  log.info("started", {{"node", options.node_name},
                       {"collection", options.all_collections ? "*" : joined(options.collections)},
                       {"machine", this_machine().text()},
                       {"chosen", chosen_text(options.budgets)},
                       {"threads", std::to_string(options.threads)},
                       {"http_port", std::to_string(http.port())},
                       {"admin_port", admin ? std::to_string(admin->port()) : "none"},
                       {"leaves", options.leaf_dns.empty() ? std::to_string(options.leaves.size()) : options.leaf_dns},
                       {"curve", encrypted ? "on" : "off"},
                       {"cache_bytes", std::to_string(options.cache_bytes)}});
}

// Runs until a signal, then drains: /readyz is 503 at once, open requests are answered, and clients that stall have no
// more than the drain time.
void run(const Options& options, Runtime& runtime, const SharedParts& shared, SearchLoops& loops) {
  boost::asio::steady_timer patience(runtime.main);
  runtime.signals.async_wait([&](const boost::system::error_code& cancelled, int signal) {
    if (cancelled) return;
    runtime.log.info("draining", {{"signal", std::to_string(signal)},
                                  {"searches", std::to_string(shared.searches.admission.all())}});
    loops.drain([&] { loops.stop(); });
    patience.expires_after(std::chrono::milliseconds(options.drain_ms));
    patience.async_wait([&](const boost::system::error_code& ended) {
      if (!ended) loops.stop();
    });
  });
  loops.run();
}

// Answers the requests that are still open after the drain, while everything that they refer to exists.
void finish(Runtime& runtime, SearchLoops& loops, const std::optional<cluster::LeafDns>& dns) {
  const bool looking_up = loops.looking_up() || (dns && dns->looking_up());
  loops.close();
  runtime.log.info("stopped");
  if (looking_up) runtime.log.flush(kLastLines);
  if (looking_up) std::_Exit(0);  // Asio's destructor would wait for a DNS server that may not answer
}

void export_all(Runtime& runtime, const SharedParts& shared, const SearchLoops& loops, const Server& admin) {
  http::export_shared(runtime.registry, shared.searches);
  http::export_loops(
      runtime.registry, [&loops] { return loops.loops(); }, runtime.clock);
  frond::http::export_server(runtime.registry, loops.first().server(), "public");
  if (const auto* const second = loops.first().second_server())
    frond::http::export_server(runtime.registry, *second, "elasticsearch");
  if (admin) frond::http::export_server(runtime.registry, *admin, "admin");
}

int serve(const Options& options, std::size_t descriptors) {
  Runtime runtime(options);
  auto curve = read_curve(options, runtime.log);
  if (!curve) return refuse(curve.error());
  SharedParts shared(options, runtime.log, runtime.registry, runtime.clock, *std::move(curve));
  std::unique_ptr<http::ChangeForwarder> changes;
  if (!options.indexer_service.empty()) {
    auto key = read_indexer_key(options);
    if (!key) return refuse(key.error());
    auto made = http::ChangeForwarder::create(options.indexer_service, *std::move(key), options.max_body_bytes,
                                              runtime.registry);
    if (!made) return refuse(std::move(made).error().within("--indexer-service"));
    changes = *std::move(made);
  }
  shared.changes = changes.get();
  std::unique_ptr<http::SpanExport> spans;
  if (!options.otlp.empty()) {
    auto made = http::SpanExport::create({.collector = options.otlp,
                                          .share = options.trace_sample,
                                          .most_bytes = options.otlp_buffer,
                                          .version = config::version(),
                                          .instance = options.node_name},
                                         &runtime.log);
    if (!made) return refuse(std::move(made).error().within("--otlp"));
    spans = *std::move(made);
  }
  shared.searches.spans = spans.get();
  SearchLoops loops(shared, runtime.io);
  SearchLoop& first = loops.first();
  std::optional<elasticsearch::CatalogueFollower> follower;
  if (changes != nullptr) {
    elasticsearch::CatalogueFollower::Config config{.most = kMaxCollections};
    if (!options.all_collections)
      config.only = options.collections;
    else
      config.on_collections = [&](const std::vector<std::string>& names) { loops.set_collections(names); };
    shared.follower = &follower.emplace(*changes, shared.catalogue, std::move(config), runtime.log);
  }
  const auto tls = tls_endpoint_for(options, first.timers(), runtime.log, runtime.registry);
  if (!tls) return refuse(tls.error());

  const auto keys = key_guard_for(options, runtime.clock, runtime.log, runtime.registry);
  if (!keys) return refuse(keys.error());
  const cluster::Repeating look_at_keys(first.timers(), kKeysInterval, [&] { (*keys)->look(); });

  auto public_http = public_config(options, descriptors, runtime.log);
  public_http.gatekeeper = gatekeeper_of(**keys);
  if ((*keys)->checks_keys())
    shared.has_scope = [&guard = **keys](const frond::http::Request& request, frond::http::Access scope) {
      return guard.has_scope(request, scope);
    };
  public_http.tls = *tls ? &(*tls)->identity() : nullptr;
  public_http.on_handshake_failure = [&](std::string_view reason) { (*tls)->count_failure(reason); };
  auto elasticsearch_http = public_http;
  if (auto listens = loops.listen(std::move(public_http)); !listens)
    return refuse(std::move(listens).error().within("--http"));
  if (!options.elasticsearch_api.empty()) {
    elasticsearch_http.listen = options.elasticsearch_api;
    if (auto listens = loops.listen_for_elasticsearch(std::move(elasticsearch_http)); !listens)
      return refuse(std::move(listens).error().within("--elasticsearch-api"));
  }
  const auto count = [&](const frond::http::AnsweredRequest& request) { first.count(request); };
  const auto admin =
      admin_server(runtime.main, options, descriptors, count, http::make_admin_routes(loops.targets(first)));
  if (!admin) return refuse(admin.error());

  if (const auto set = loops.set_leaves(options.leaves); !set) return refuse(set.error());
  std::optional<cluster::LeafDns> dns;
  if (!options.leaf_dns.empty()) {
    const auto name = *net::parse_host_port(options.leaf_dns);  // was checked
    const auto set_leaves = [&](const std::vector<std::string>& leaves) { return loops.set_leaves(leaves); };
    dns.emplace(runtime.main, first.timers(), set_leaves, runtime.log, name.host, name.port,
                std::chrono::milliseconds(options.leaf_dns_interval_ms));
  }
  export_all(runtime, shared, loops, *admin);
  log_start(runtime.log, options, first.server(), *admin, shared.curve.has_value());
  run(options, runtime, shared, loops);
  if (changes != nullptr) changes->end();  // its work uses the follower and the loops
  finish(runtime, loops, dns);
  return 0;
}

}  // namespace

}  // namespace frond::broker

int main(int argc, char** argv) {
  try {
    frond::hold_standard_descriptors();
    const std::size_t descriptors = frond::prepare_server_process();
    frond::set_time_slice(frond::kShortSliceNs);  // a search waits for several threads
    const auto options = frond::broker::read_options(argc, argv);
    if (const int* const exit_code = std::get_if<int>(&options))
      return frond::finish_output("frond-broker", *exit_code);
    return frond::broker::serve(std::get<frond::broker::Options>(options), descriptors);
  } catch (const std::exception& error) {
    frond::write_stderr(std::string("frond-broker: ") + error.what() + "\n");
    return 1;
  }
}
