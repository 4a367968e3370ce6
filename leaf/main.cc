// frond-leaf: serves a shard of the partitions of one or more collections to brokers. Creates all parts of the process
// and shuts them down in order.
//
// Threads: leaf-socket × --io-threads (frames in and out, little searches); with CURVE, leaf-curve (reads the list of
// clients); leaf-worker × --cpu-threads, leaf-costly × --costly-threads and leaf-fetch × 2 (evaluate, read); leaf-gpu ×
// 3 a GPU (batches), with several GPUs leaf-gpu-share × 5 a GPU (shares of batches), and leaf-gpu-copy for each;
// leaf- follower and leaf-announce for each collection, and with --collection '*' leaf-collections (the repository; may
// block); and the main thread (HTTP probes, signals).
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/line_writer.h"
#include "common/base/machine.h"
#include "common/base/process.h"
#include "common/base/threads/thread_name.h"
#include "common/config/options.h"
#include "common/http/server/server.h"
#include "common/metrics/registry.h"
#include "common/repository/repository.h"
#include "common/wire/router_socket.h"
#include "leaf/accelerator.h"
#include "leaf/broker_socket.h"
#include "leaf/caches.h"
#include "leaf/engines.h"
#include "leaf/families/metric_families.h"
#include "leaf/lifecycle.h"
#include "leaf/options.h"
#include "leaf/probes.h"
#include "leaf/schedule/cost_model.h"
#include "leaf/schedulers.h"
#include "leaf/serve/collections.h"
#include "leaf/served_collection.h"
#include "leaf/served_collections.h"

// Read by jemalloc when the process starts: memory that was freed goes back to the system within about a second, also
// where no thread allocates any more: by a thread of its own. The process never forks.
extern "C" {
const char* malloc_conf = "background_thread:true,max_background_threads:1,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace frond::leaf {
namespace {

constexpr std::chrono::milliseconds kLastReplies{500};  // max wait until the last replies are sent
constexpr std::chrono::milliseconds kLastLines{1000};
constexpr std::chrono::milliseconds kLastTransfer{2000};  // max wait for the follower to finish a file

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void log_start(Logger& log, const Options& options, const wire::RouterSocket& socket, const http::Server& http,
               const Accelerator* gpu) {
  log.info("started", {{"node", options.node_name},
                       {"collection", options.all_collections ? "*" : joined(options.collections)},
                       {"repository", options.repository},
                       {"shard", std::to_string(options.shard) + "/" + std::to_string(options.shards)},
                       {"listen_port", std::to_string(socket.port())},
                       {"curve", options.curve_secret_key.empty() ? "off" : "on"},
                       {"http_port", std::to_string(http.port())},
                       {"machine", this_machine().text()},
                       {"chosen", chosen_text(budgets_of(options, gpu))},
                       {"cpu_threads", std::to_string(options.cpu_threads)},
                       {"gpu", gpu_state(options, gpu)}});
}

// Prints one line about a wrong option or environment. Returns the exit code, 2.
int refuse(const Error& error) {
  write_stderr("frond-leaf: " + error.message() + "\n");
  return 2;
}

// Runs the event loop until a signal came and Ending has finished.
void run_until_stopped(boost::asio::io_context& io, boost::asio::signal_set& signals, const Options& options,
                       Logger& log, const serve::Collections& collections, http::Server& http) {
  Ending ending(io, {std::chrono::milliseconds(options.drain_ms), std::chrono::milliseconds(options.drain_needed_ms)},
                collections, http);
  boost::asio::steady_timer drill(io);
  if (options.gpu_drill) {
    drill.expires_after(std::chrono::seconds(options.gpu_drill->seconds));
    drill.async_wait([&](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      log.warn("a GPU is given up for the drill", {{"device", std::to_string(options.gpu_drill->device)}});
      give_up_gpu(options.gpu_drill->device);
    });
  }
  signals.async_wait([&](const boost::system::error_code& cancelled, int signal) {
    if (cancelled) return;
    log.info("draining", {{"signal", std::to_string(signal)}});
    drill.cancel();
    ending.begin();
  });
  io.run();
}

// What every part of the process uses.
struct Process {
  explicit Process(const Options& options) : log("frond-leaf", options.log_level, options.log_buffer) {
    export_log(registry, log);
  }
  Logger log;
  const SteadyClock clock;
  boost::asio::io_context io{1};
  boost::asio::signal_set signals{io, SIGTERM, SIGINT};  // from here on signals wait for the loop
  metrics::Registry registry{config::version()};
};

struct Engines {
  std::unique_ptr<engine::QueryEngine> engine, exhaustive;
  std::unique_ptr<Accelerator> gpu;  // null: no GPU is used
  schedule::CostModel costs = schedule::default_cost_model();
};

Result<Engines> make_engines(const Options& options, Process& process) {
  Engines made;
  made.engine = FROND_TRY(engine_named(kDefaultEngine));
  made.exhaustive = FROND_TRY(engine_named("exhaustive"));
  made.gpu = accelerator_for(options, *made.engine, process.registry, process.log);
  if (options.cost_model.empty()) return made;
  auto costs = schedule::read_cost_model(options.cost_model);
  if (!costs) return std::move(costs).error().within("--cost-model");
  made.costs = *std::move(costs);
  return made;
}

// Creates the parts that follow the repository, search and answer. Runs until a signal, then until all admitted
// requests are answered. Returns the exit code.
int serve_until_stopped(const Options& options, Process& process, std::vector<CollectionPlace> places,
                        const OpenedData& data, wire::RouterSocket& socket, Engines& engines) {
  auto& [log, clock, io, signals, registry] = process;
  Accelerator* const gpu = engines.gpu.get();
  export_gpu_state(registry, options, gpu);
  const auto keywords = make_keyword_cache(options, registry);
  HostLists lists(options, clock, gpu, *keywords, registry);
  serve::RequestsInFlight requests(registry.gauge(families::kInFlight));  // which tasks of the schedulers refer to
  Schedulers schedulers(options, engines.costs, clock, gpu, registry);
  generation::Numbers numbers;
  generation::DamageLog damage(log, clock);
  generation::ScrubPace scrub_pace(options.scrub_rate);
  Complaint slow(&log, std::chrono::milliseconds(100));
  serve::AnswerCheck check(options.check_share, log, &registry);
  const auto terms = make_term_table(options, registry);
  const auto filters = make_filter_cache(options, registry);
  serve::AtOnce at_once(engines.costs, std::chrono::microseconds(options.at_once_us), &registry);
  const auto parts = [&](const generation::ServedBoard& board) {
    return serve::SearchParts{.board = board,
                              .lists = lists.store(),
                              .engine = *engines.engine,
                              .exhaustive = *engines.exhaustive,
                              .scheduler = schedulers.pool(),
                              .clock = process.clock,
                              .registry = &process.registry,
                              .queries = schedulers.queries(),
                              .min_gpu_postings = options.min_gpu_postings,
                              .check = &check,
                              .damage = &damage,
                              .slow = &slow,
                              .costly = &schedulers.costly(),
                              .costly_postings = options.costly_postings,
                              .terms = terms.get(),
                              .filters = filters.get(),
                              .max_expansions = options.max_expansions,
                              .keywords = keywords.get(),
                              .max_facet_buckets = options.max_facet_buckets,
                              .at_once = &at_once,
                              .device = gpu != nullptr ? &gpu->lists() : nullptr};
  };
  std::shared_ptr<const tls::TrustedKeys> trusted;
  if (!options.trusted_keys.empty()) {
    auto loaded = tls::TrustedKeys::load(options.trusted_keys);
    if (!loaded) return refuse(std::move(loaded).error().within("--trusted-keys"));
    trusted = *std::move(loaded);
  }
  const ServedCollection::Shared shared{.options = options,
                                        .clock = clock,
                                        .log = log,
                                        .registry = registry,
                                        .lists = lists.registration(),
                                        .numbers = numbers,
                                        .requests = requests,
                                        .documents = make_document_cache(options, registry),
                                        .parts = parts,
                                        .identity = {{},
                                                     options.node_name,
                                                     std::string(config::version()),
                                                     [&, gpu] { return gpu_state(options, gpu); },
                                                     clock.now() + std::chrono::milliseconds(options.ready_after_ms),
                                                     [gpu] { return gpu ? gpu->refusals() : std::string(); },
                                                     this_machine().text(),
                                                     budgets_of(options, gpu)},
                                        .cache_state = [&] { return lists.cache_state(); },
                                        .list_store = lists.store(),
                                        .gpu = gpu,
                                        .terms = *terms,
                                        .scrub_pace = scrub_pace,
                                        .trusted = std::move(trusted)};
  // They end before `lists`, where their partitions are registered.
  const auto opened = ServedCollections::open(shared, *data.folder, std::move(places));
  if (!opened) return refuse(opened.error());
  ServedCollections& served = **opened;
  const serve::Collections& collections = served.routing();
  export_transfers(registry, [&served] { return served.transfers(); });

  families::Export(registry, [&] {
    return collections.why_not_ready();
  }).gauge(families::kReady, [](const std::string& why_not) { return why_not.empty(); });
  // The follower of the repository is left out, since its transfers may take long.
  const auto loops = [&] {
    std::vector<Loop> all = socket.loops();
    all.push_back({"workers", schedulers.pool().turned()});
    all.push_back({"costly", schedulers.costly().turned()});
    return all;
  };
  export_loop_ages(registry, clock, loops);
  const http::Server::Config probes{.listen = options.http, .max_connections = kProbeConnections};
  auto http = open_port(data, [&] {
    return http::Server::create(process.io, probes, probe_routes(process.registry, collections, [&] {
                                  return stalled(loops(), process.clock.now(), std::chrono::seconds(options.stall_s));
                                }));
  });
  if (!http) return refuse(std::move(http).error().within("--http"));

  socket.start(
      [&](const wire::Peer& peer, ByteView request) {
        collections.on_request(peer, request, [&, peer](ByteBuffer reply) { socket.send(peer, std::move(reply)); });
      },
      [&](const wire::Peer& gone) { requests.cancel_all(gone); });
  served.start();
  log_start(log, options, socket, **http, gpu);
  run_until_stopped(io, signals, options, log, collections, **http);

  schedulers.drain();
  socket.stop(kLastReplies);
  const Deadline patience = Deadline::after(clock, kLastTransfer);
  const bool ended = served.stop(std::chrono::ceil<std::chrono::milliseconds>(patience.left(clock)));
  log.info("stopped");
  if (!ended) log.flush(kLastLines);
  if (!ended) std::_Exit(0);  // a transfer is still running; the next leaf on this folder resumes it
  return 0;
}

// Opens all that the configuration names, then serves. Returns the exit code.
int run(const Options& options, std::size_t open_files) {
  Process process(options);
  auto places = open_sources(options, process.log);
  if (!places) return refuse(std::move(places).error().within("--repository"));
  export_object_requests(process.registry, *options.objects.counts);
  auto data = open_data(options, process.io, process.signals, process.registry, process.log);
  if (!data) return refuse(std::move(data).error().within("--data"));
  if (data->folder == nullptr) return 0;  // a signal came first
  const PeerNumbers peers = peer_numbers(options, open_files, process.log);
  auto curve = read_curve(options, process.log);
  if (!curve) return refuse(curve.error());
  auto socket = open_port(*data, [&] { return open_socket(options, peers, *curve, process.log); });
  if (!socket) return refuse(std::move(socket).error().within("--listen"));
  export_socket(process.registry, **socket, *curve, peers);
  auto engines = make_engines(options, process);
  if (!engines) return refuse(engines.error());
  return serve_until_stopped(options, process, *std::move(places), *data, **socket, *engines);
}

}  // namespace
}  // namespace frond::leaf

int main(int argc, char** argv) {
  try {
    frond::hold_standard_descriptors();
    const std::size_t open_files = frond::prepare_server_process();
    frond::set_time_slice(frond::kShortSliceNs);  // a search waits for several threads
    const auto options = frond::leaf::read_options(argc, argv);
    if (const int* exit_code = std::get_if<int>(&options)) return frond::finish_output("frond-leaf", *exit_code);
    return frond::leaf::run(std::get<frond::leaf::Options>(options), open_files);
  } catch (const std::exception& e) {
    frond::write_stderr(std::string("frond-leaf: ") + e.what() + "\n");
    return 1;
  }
}
