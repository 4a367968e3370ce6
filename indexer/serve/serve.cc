#include "indexer/serve/serve.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json.hpp>

#include "common/base/deadline.h"
#include "common/base/threads/thread_name.h"
#include "common/config/options.h"
#include "common/http/server/access_log.h"
#include "common/http/server/client_turns.h"
#include "common/http/server/router.h"
#include "common/http/server/server.h"
#include "common/http/server/server_metrics.h"
#include "common/keys/guard.h"
#include "common/metrics/registry.h"
#include "common/objects/counts.h"
#include "common/tls/certificates.h"
#include "indexer/serve/current_news.h"
#include "indexer/serve/routes.h"
#include "indexer/serve/served_repository.h"
#include "indexer/write/written_collections.h"

namespace frond::indexer::serve {
namespace embedded {
std::string_view openapi_json();  // of this folder, compiled in by cmake/EmbedFiles.cmake
}
namespace {
namespace asio = boost::asio;
constexpr std::chrono::seconds kLookInterval{1};  // at a new certificate, and new API keys
constexpr std::size_t kWriters = 5;               // threads that log changes; one client has four at most
constexpr std::chrono::seconds kRelease{2};       // for leases to be released, after what was to be published

constexpr metrics::Family kExpiry{"frond_indexer_tls_certificate_expiry_timestamp_seconds",
                                  "When the TLS certificate in use ends, in seconds since 1970."};
constexpr metrics::Family kReloads{
    "frond_indexer_tls_certificate_reloads_total",
    "Changes of the TLS certificate's files, by outcome: ok, or failed (the old certificate stays in use)."};
constexpr metrics::Family kHandshakeFailures{"frond_indexer_tls_handshake_failures_total",
                                             "TLS handshakes that failed, by reason."};

// Where CURRENT of each collection is seen to change: of a bucket, what is noted of it (CollectionPlaces). Empty:
// nowhere.
std::filesystem::path watched_folder(const ServeOptions& options) {
  if (!objects::is_object_place(options.writing.repository.string())) return options.writing.repository;
  const auto folder = repository::local_folder(options.writing.repository, "c", options.writing.objects);
  return folder ? folder->parent_path() : std::filesystem::path();
}

// What went wrong, with the flag that says so.
template <class T>
Result<T> named(std::string_view flag, Result<T> made) {
  if (made) return made;
  return std::move(made).error().within(flag);
}

class Service {
 public:
  Service(const ServeOptions& options, Logger& log)
      : options_(options),
        log_(log),
        registry_(config::version()),
        requests_(registry_),
        access_log_(log, options.access_log),
        pool_(options.readers),
        writers_("write", kWriters, options.max_body_bytes),
        news_(
            io_, watched_folder(options), options.max_connections / 2,
            [this](const http::Request& request) { return answer_now(request); },
            [this](std::function<void()> look) { read(std::move(look)); }, registry_) {
    metrics::export_log(registry_, log);
    if (objects::is_object_place(options.writing.repository.string()))
      objects::export_requests(registry_, kObjectFamilies, *options.writing.objects.access.counts);
  }

  Result<void> listen() {
    if (!options_.tls_certificate.empty()) {
      identity_ =
          FROND_TRY(named("--tls-certificate", tls::ServerIdentity::load(options_.tls_certificate, options_.tls_key)));
      tell_certificate();
    }
    auto hosts = FROND_TRY(http::HostList::parse(options_.hosts));
    auto access = options_.writing.objects.access;
    access.stop = reads_stop_.get_token();
    repository_ = FROND_TRY(ServedRepository::open(options_.writing.repository, access));
    guard_ = FROND_TRY(named("--api-keys", keys::Guard::create({.key_file = options_.api_keys,
                                                                .of_key = options_.of_key,
                                                                .of_address = options_.of_address,
                                                                .realm = "frond-indexer"},
                                                               clock_, log_, registry_)));
    look();
    if (!options_.api_keys.empty()) {
      auto writing = options_.writing;
      writing.objects.access.stop = writes_stop_.get_token();
      writing.lease_stop = leases_stop_.get_token();
      collections_ = FROND_TRY(write::WrittenCollections::open(std::move(writing), registry_, log_));
    }
    http::Server::Config config{.listen = options_.listen,
                                .max_body_bytes = options_.max_body_bytes,
                                .max_connections = options_.max_connections,
                                .max_unsent_bytes = options_.max_unsent_bytes,
                                .min_client_rate = options_.min_client_rate,
                                .hosts = std::move(hosts)};
    config.on_answer = [this](const http::AnsweredRequest& request) {
      requests_.count(request);
      access_log_.note(request);
    };
    config.gatekeeper = [this](const http::Request& header, const http::ClientAddress& from, http::Access needed) {
      return guard_->admit(header, from, needed);
    };
    config.run_aside = [this](const http::ClientId&, std::size_t, std::function<void()> run) { read(std::move(run)); };
    config.tls = identity_.get();
    config.on_handshake_failure = [this](std::string_view reason) {
      registry_.counter(kHandshakeFailures, {{"reason", std::string(reason)}}).add();
    };
    server_ = FROND_TRY(named("--listen", http::Server::create(io_, std::move(config), routes())));
    http::export_server(registry_, *server_, "public");
    return {};
  }
  // Until `stop`, then for what is open.
  void run(const std::stop_token& stop) {
    const std::stop_callback stopping(stop, [this] { asio::post(io_, [this] { finish_writing(); }); });
    io_.run();
    for (auto* stopped : {&reads_stop_, &writes_stop_, &leases_stop_}) stopped->request_stop();
    pool_.join();  // reads end before the io_context does
    writers_.join();
    if (finisher_.joinable()) finisher_.join();
    collections_.reset();  // answers those who wait for a publication
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  http::Router routes() {
    http::Router router = http::Router::everything(
        [this](http::Request&& request, http::Responder responder) {
          answer(std::move(request), std::move(responder));
        },
        {}, "GET");
    const auto add = [&router](std::string_view path, http::RouteLimits limits,
                               std::function<void(http::Responder)> answer) {
      router.add(
          "GET", path,
          [path, answer = std::move(answer)](http::Request&&, http::Responder responder) {
            responder.set_route(path);
            answer(std::move(responder));
          },
          limits);
    };
    add("/metrics", {.reserved = true}, [this](http::Responder responder) {
      responder.send({.content_type = std::string(metrics::kContentType), .body = registry_.exposition()});
    });
    add("/livez", {.reserved = true}, [](http::Responder responder) { responder.send({.body = "{\"live\":true}\n"}); });
    add("/readyz", {.reserved = true}, [this](http::Responder responder) {
      read([this, responder = std::move(responder)]() mutable { responder.send(ready()); });
    });
    add("/openapi.json", {},
        [](http::Responder responder) { responder.send({.body = std::string(embedded::openapi_json())}); });
    WriteRoutes{collections_.get(), repository_.get(), options_.max_request_bytes, &writers_}.add_to(router);
    return router;
  }
  http::Response ready() const {
    if (draining_)
      return {.status = 503,
              .body = R"({"ready":false,"detail":"draining"})"
                      "\n"};
    const auto readable = repository_->readable();
    nlohmann::ordered_json answer = {{"ready", readable.has_value()}};
    if (!readable) answer["detail"] = readable.error().message();
    if (collections_) {
      const auto states = collections_->states();
      answer["writing"] = states.writing;
      answer["standby"] = states.standby;
      if (readable && !states.refused.empty())
        answer["detail"] = std::to_string(states.refused.size()) +
                           " damaged, the first: " + states.refused.begin()->first + ": " +
                           states.refused.begin()->second;
    }
    return {.status = readable ? 200 : 503,
            .body = answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
  }

  // Files are opened, and manifests read, on the reading threads: a slow disk delays no probe.
  void answer(http::Request&& request, http::Responder responder) {
    responder.set_route(route_of(request.path));
    if (asked_wait(request).count() > 0)
      if (const auto file = served_file(request.path); file && file->is_current)
        return news_.take(file->collection, std::move(request), std::move(responder));
    read([this, request = std::move(request), responder = std::move(responder)]() mutable {
      responder.send(answer_now(request));
    });
  }
  // On a reading thread. What it throws, where memory is short, ends it alone: a responder that it holds answers 500.
  template <class Run>
  void read(Run run) {
    asio::post(pool_, [run = std::move(run)]() mutable {
      try {
        run();
      } catch (const std::exception&) {
      }
    });
  }
  static std::string_view route_of(std::string_view path) {
    if (path.starts_with(kRepositoryPrefix)) return "/repository/";
    return path.starts_with(kCollectionsPath) ? kCollectionsPath : std::string_view();
  }
  http::Response answer_now(const http::Request& request) const {
    const std::string_view path = request.path;
    if (path.starts_with(kRepositoryPrefix)) {
      if (const auto file = served_file(path)) return repository_->answer(request, *file);
    } else if (path == kCollectionsPath) {
      return list_collections(*repository_, collections_.get());
    } else if (path.starts_with(kCollectionsPath) && path[kCollectionsPath.size()] == '/') {
      return describe_collection(*repository_, collection_of(request, kCollectionPath));
    }
    return http::problem(404, "Not found", "Nothing is served at this path: see /v1/collections.");
  }

  void tell_certificate() {
    registry_.gauge(kExpiry).set(static_cast<double>(std::chrono::system_clock::to_time_t(identity_->expires())));
  }
  void look() {
    timer_.expires_after(kLookInterval);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      guard_->look();
      if (identity_) look_at_certificate();
      look();
    });
  }
  void look_at_certificate() {
    const auto changed = identity_->refresh();
    if (!changed)
      log_.warn("new TLS certificate refused; the old one stays", {{"reason", changed.error().message()}});
    else if (*changed)
      tell_certificate();
    if (!changed || *changed) registry_.counter(kReloads, {{"outcome", changed ? "ok" : "failed"}}).add();
  }

  // After the signal, while files are served on.
  void finish_writing() {
    log_.info("draining");
    if (collections_) collections_->stop_accepting();  // who sees that it is not ready gets no change accepted
    draining_ = true;
    if (!collections_) return drain();
    const auto end = std::chrono::steady_clock::now() + options_.drain_publish;
    finisher_ = std::thread([this, end] {
      name_this_thread("finish");
      collections_->finish(end);
      asio::post(io_, [this] { drain(); });
    });
    finish_timer_.expires_at(end);
    finish_timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      writes_stop_.request_stop();
      finish_timer_.expires_after(kRelease);
      finish_timer_.async_wait([this](const boost::system::error_code& done) {
        if (!done) drain();
      });
    });
  }
  void drain() {
    if (std::exchange(closing_, true)) return;
    finish_timer_.cancel();
    news_.drain();
    timer_.expires_after(options_.drain);  // instead of looking at the certificate
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) io_.stop();
    });
    server_->drain([this] { io_.stop(); });
  }

  const ServeOptions& options_;
  Logger& log_;
  metrics::Registry registry_;
  http::RequestMetrics requests_;
  http::AccessLog access_log_;
  asio::io_context io_{1};
  asio::steady_timer timer_{io_}, finish_timer_{io_};
  const SteadyClock clock_;
  std::unique_ptr<tls::ServerIdentity> identity_;
  std::unique_ptr<keys::Guard> guard_;
  std::unique_ptr<ServedRepository> repository_;
  std::unique_ptr<http::Server> server_;  // before the threads that answer from it
  asio::thread_pool pool_;
  http::ClientTurns writers_;
  CurrentNews news_;
  std::atomic<bool> draining_ = false;
  bool closing_ = false;                                     // no more connections are taken
  std::stop_source reads_stop_, writes_stop_, leases_stop_;  // of requests to an object store
  std::thread finisher_;
  std::unique_ptr<write::WrittenCollections> collections_;  // null: nothing is written
};

}  // namespace

Result<void> serve(const ServeOptions& options, Logger& log, std::stop_token stop) {
  Service service(options, log);
  FROND_TRY(service.listen());
  log.info("started", {{"repository", options.writing.repository.string()},
                       {"port", std::to_string(service.port())},
                       {"tls", options.tls_certificate.empty() ? "off" : "on"}});
  service.run(stop);
  log.info("stopped");
  return {};
}

}  // namespace frond::indexer::serve
