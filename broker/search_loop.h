#pragma once
// One thread of the broker with everything that answers searches: an Asio loop, connections to all leaves, the view of
// the cluster, the evaluations in flight, and a listener on the port that the loops share. Used on its thread only,
// unless a function says otherwise; made and ended on the main thread, while no loop runs.
//
// A broker of several collections has for each of them a view of the cluster and connections to the leaves; the cache,
// the limits and the listener are for all. With --collection '*' they come and go (set_collections()).
//
// A broker with several loops looks to leaves like as many brokers: each loop says hello by itself, under an instance
// of its own, so that a leaf which drains tells all of them, and keeps the generation that each serves from.
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/timer_queue.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/indices/catalogue_follower.h"
#include "broker/elasticsearch/indices/refreshes.h"
#include "broker/http/monitoring/broker_status.h"
#include "broker/http/routes.h"
#include "broker/options.h"
#include "common/base/liveness.h"
#include "common/base/mutex.h"
#include "common/http/server/access_log.h"
#include "common/http/server/server.h"
#include "common/http/server/server_metrics.h"

namespace frond::broker {

// What the loops of the process share. Thread-safe; outlives them.
struct SharedParts {
  SharedParts(const Options& set, Logger& logger, metrics::Registry& families, const Clock& time,
              std::optional<cluster::ZmqLeafClients::Curve> keys);

  const Options& options;
  Logger& log;
  metrics::Registry& registry;
  const Clock& clock;
  const std::optional<cluster::ZmqLeafClients::Curve> curve;
  const http::SearchService::Config search;
  http::SearchService::Shared searches;
  http::StatusMetrics metrics;
  frond::http::AccessLog access_log;
  http::ChangeForwarder* changes = nullptr;  // null: none are passed on
  elasticsearch::Catalogue catalogue;
  elasticsearch::Refreshes refreshes;
  elasticsearch::CatalogueFollower* follower = nullptr;  // null: there is no service
  // Whether a request's key has a scope; empty: keys are not checked.
  std::function<bool(const frond::http::Request&, frond::http::Access)> has_scope = {};
  const std::shared_ptr<cluster::LeafLoads> leaf_loads = std::make_shared<cluster::LeafLoads>();
};

class SearchLoop {
 public:
  // Called on the loop's thread when it serves another generation of a collection.
  using OnGeneration = std::function<void(const std::string& collection, const GenerationId&)>;

  // The loop's number is from 0 to --threads - 1. `io` runs on the loop's thread, and ends after the loop.
  SearchLoop(SharedParts& shared, boost::asio::io_context& io, std::size_t number, const OnGeneration& on_generation);
  ~SearchLoop();
  SearchLoop(const SearchLoop&) = delete;
  SearchLoop& operator=(const SearchLoop&) = delete;

  // kUnavailable: the port is taken.
  Result<void> listen(frond::http::Server::Config config, frond::http::Router router);
  const frond::http::Server& server() const { return *server_; }
  // Another listener (--elasticsearch-api).
  Result<void> listen_too(frond::http::Server::Config config, frond::http::Router router);
  const frond::http::Server* second_server() const { return second_server_.get(); }  // null: there is none
  // Counts an answer of one of this thread's listeners.
  void count(const frond::http::AnsweredRequest& request) {
    http_metrics_.count(request);
    shared_.access_log.note(request);
    if (shared_.searches.spans != nullptr) shared_.searches.spans->add(request, shared_.clock.now());
  }
  // The routes' parts on this thread; the rest is to be filled in.
  http::RouteTargets targets();
  // What this thread searches now.
  std::shared_ptr<const http::SearchedCollections> searched() const { return searched_; }

  // As ClusterMap::set_leaves(), the first time. Later calls are for follow_leaves().
  // Each collection uses those that serve it.
  Result<void> set_leaves(const std::vector<std::string>& endpoints);
  // Sets the leaves, and tries again if some cannot be used, since the process may have run out of sockets.
  void follow_leaves(const std::vector<std::string>& endpoints);

  // Another loop serves from generation `id`: asks the leaves now, so that this one follows.
  void follow_generation(const std::string& collection, const GenerationId& id);

  // The collections that there are from now on, of --collection '*'. What was removed ends when its last request is
  // answered.
  void set_collections(const std::vector<std::string>& names);
  // Which generation is served of the collection; 0: none, or one of before it was removed. Any thread.
  Generation serving(std::string_view collection) const;

  http::BrokerStatus status() const;
  // When this thread's loop last turned. Any thread.
  Loop loop() const { return {own_name_, turned_.load(std::memory_order_relaxed)}; }
  // Every collection has been whole once, and one of them has leaves now: leaves of one that fail later must not take
  // the broker out of service for the others. Any thread.
  bool ready() const;
  // What searches lack, by collection; empty: nothing. Any thread.
  std::string lacking() const;
  // Stops accepting; `done` is called on this thread when the last connection has closed.
  void drain(std::function<void()> done);
  // Ends the connections to leaves: open requests fail.
  void close() { clients_.close(); }
  bool looking_up() const { return clients_.looking_up(); }

  boost::asio::io_context& io() { return io_; }
  cluster::TimerQueue& timers() { return timers_; }

 private:
  SharedParts& shared_;
  boost::asio::io_context& io_;
  const std::string number_;  // "1", "2", …; empty: it is the only one
  const std::string own_name_;
  std::optional<Logger> own_log_;
  Logger& log_;
  std::unique_ptr<cluster::HomeThread> home_;
  cluster::TimerQueue timers_;
  const cluster::TimerDriver driver_;
  cluster::ZmqLeafClients clients_;
  http::SearchMetrics metrics_;
  frond::http::RequestMetrics http_metrics_;
  struct Collection;
  using Collections = std::vector<std::unique_ptr<Collection>>;
  void add(const std::string& name);
  void end_unused();
  void tell_catalogue();
  http::BrokerStatus status_of(const Collection& one, const cluster::ZmqLeafClients* clients) const;
  // As in --collection; changed on this thread only, with the lock.
  mutable Mutex changing_;
  Collections collections_;
  bool listed_ = false;  // they are known
  Collections retired_;  // removed, and still used
  // By collection: what it is served from, and what it was when it was removed. Leaves may serve that for a moment when
  // it is made again.
  struct Contents {
    ContentId now = 0, removed = 0;
    Instant until = {};  // by then, leaves have followed
  };
  static constexpr std::size_t kMostRemoved = 1024;
  std::map<std::string, Contents, std::less<>> contents_ FROND_GUARDED_BY(changing_);
  void note(const std::string& collection, const GenerationId& id);
  http::BrokerStatus ended_;  // what those counted that have ended
  const std::shared_ptr<http::SearchedCollections> searched_ = std::make_shared<http::SearchedCollections>();
  std::vector<std::string> endpoints_;  // of set_leaves()
  const OnGeneration on_generation_;
  std::unique_ptr<frond::http::Server> server_, second_server_;
  std::atomic<Instant> turned_;
  const cluster::Repeating turning_;
  std::optional<cluster::TimerQueue::Id> retry_;
  std::string unusable_;  // why leaves cannot be used, as logged last
};

}  // namespace frond::broker
