#pragma once
// A broker in virtual time: for each of its threads the real client of leaves, cluster map, scatter and search service;
// between them the real cache, flights and admission. Only the connections are the simulation's.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "broker/cluster/cluster_map.h"
#include "broker/cluster/zmq_leaf_client.h"
#include "broker/http/search/search_service.h"
#include "broker/scatter/scatter_context.h"
#include "tests/simulation/collection.h"
#include "tests/simulation/links.h"
#include "tests/support/broker_thread.h"

namespace frond::simulation {

class BrokerProcess {
 public:
  struct Options {
    std::size_t threads = 1, leaves = 1, max_leaf_in_flight = 64;
    broker::http::SearchService::Config search;
    double hedge_share = 0.05;
  };
  // All outlive it. `life` counts the processes of a run.
  BrokerProcess(Run& run, Network& network, Logger& log, broker::http::SearchMetrics& metrics, const Options& options,
                std::uint64_t life);
  ~BrokerProcess();
  BrokerProcess(const BrokerProcess&) = delete;
  BrokerProcess& operator=(const BrokerProcess&) = delete;

  std::size_t threads() const { return threads_.size(); }
  broker::http::SearchService& service(std::size_t thread) { return threads_[thread]->service; }
  const broker::cluster::ClusterMap& map(std::size_t thread) const { return threads_[thread]->map; }
  // Runs an action on one of its threads.
  void on(std::size_t thread, const std::function<void()>& action);
  // When a timer of one of its threads is next.
  Instant next() const;
  // Runs what is due, and all that follows from it now.
  void settle();
  std::size_t requests_to_leaves() const;
  const broker::http::SearchService::Shared& shared() const { return shared_; }

 private:
  struct Thread {
    Thread(BrokerProcess& process, std::size_t number, Logger& log, broker::http::SearchMetrics& metrics);
    support::Mailbox home;
    broker::cluster::TimerQueue timers;
    boost::asio::io_context io{1};
    broker::cluster::ZmqLeafClients clients;
    broker::cluster::ClusterMap map;
    broker::scatter::ScatterContext scatter;
    broker::http::SearchService service;
  };
  bool settle(Thread& thread);

  Run& run_;
  Network& network_;
  const Options options_;
  const std::uint64_t life_;
  const std::shared_ptr<broker::cluster::LeafLoads> loads_ = std::make_shared<broker::cluster::LeafLoads>();
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  broker::http::SearchService::Shared shared_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace frond::simulation
