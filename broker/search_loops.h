#pragma once
// The broker's threads (--threads), each with a loop of its own (search_loop.h), and what concerns all of them: they
// start and end together, get the same leaves, and are described as one process.
//
// Made, run and ended on the main thread, which also is the first loop's.
#include <boost/asio/io_context.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "broker/elasticsearch/routes.h"
#include "broker/search_loop.h"
#include "common/base/mutex.h"

namespace frond::broker {

// One for each of --threads.
using AsioLoops = std::vector<std::unique_ptr<boost::asio::io_context>>;

class SearchLoops {
 public:
  // `io` outlives the loops.
  SearchLoops(SharedParts& shared, AsioLoops& io);
  // Ends all loops, and waits for their threads.
  ~SearchLoops();
  SearchLoops(const SearchLoops&) = delete;
  SearchLoops& operator=(const SearchLoops&) = delete;

  // Every loop listens, on one port. `complete` fills in what RouteTargets of a loop lack.
  Result<void> listen(frond::http::Server::Config config);
  // The same for --elasticsearch-api.
  Result<void> listen_for_elasticsearch(frond::http::Server::Config config);
  SearchLoop& first() { return *loops_.front(); }
  const SearchLoop& first() const { return *loops_.front(); }
  // Of one loop, whole.
  http::RouteTargets targets(SearchLoop& loop);
  // Whether /readyz says that the broker drains. Set by drain().
  bool draining() const { return draining_; }

  // Sets the leaves of all loops; on the first loop's thread or before run(). The result is that of the first loop; the
  // others log theirs and try again.
  Result<void> set_leaves(const std::vector<std::string>& endpoints);
  // As SearchLoop::set_collections(), of all loops. Any thread.
  void set_collections(const std::vector<std::string>& names);
  // Whether every loop serves this generation of the collection, or a later one, and of what set_collections() was last
  // called with. Any thread.
  bool serve(std::string_view collection, Generation generation) const;
  // Runs the first loop here and the others on their threads until stop(). Rethrows what escapes from a loop.
  void run();
  // Calls `done` on some loop's thread when the clients of all loops have their answers. Until then all of them run: a
  // search may wait for an evaluation of another loop. On the first loop's thread.
  void drain(const std::function<void()>& done);
  void stop();  // any thread
  // After run(): answers the requests that are still open.
  void close();

  // Whether every loop is ready (ClusterMap::ready()). Any thread.
  bool ready() const;
  // What searches of some loop lack; empty: nothing. Any thread.
  std::string lacking() const;
  // The age of all loops. Any thread.
  std::vector<Loop> loops() const;
  bool looking_up() const;

 private:
  struct Round;
  using Done = std::function<void(const http::BrokerStatus&)>;
  elasticsearch::Targets elasticsearch_targets(const SearchLoop& loop, const std::string& listen);
  // Server::Config::run_aside of all servers; may be null.
  decltype(frond::http::Server::Config::run_aside) aside();
  void collect(SearchLoop& here, Done done);
  void take(const std::shared_ptr<Round>& round, std::size_t number, http::BrokerStatus status);
  void finish(Round& round);
  void tell_others(std::size_t number, const std::string& collection, const GenerationId& id);
  void run_thread(SearchLoop& loop, std::size_t number);

  SharedParts& shared_;
  std::vector<std::unique_ptr<SearchLoop>> loops_;
  std::optional<cluster::Repeating> expiring_;   // refreshes
  std::atomic<std::size_t> told_{0}, taken_{0};  // by loops: lists of collections
  std::atomic<bool> draining_{false};
  std::atomic<std::size_t> undrained_{0};
  Mutex mutex_;
  std::vector<std::optional<http::BrokerStatus>> latest_ FROND_GUARDED_BY(mutex_);  // of each loop
  std::exception_ptr failure_ FROND_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // of all loops but the first
};

}  // namespace frond::broker
