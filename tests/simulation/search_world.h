#pragma once
// One run of searching: a broker and its leaves under the faults that the seed chooses, and clients that ask meanwhile.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/broker_process.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/collection.h"
#include "tests/simulation/leaf_process.h"
#include "tests/simulation/links.h"
#include "tests/simulation/run.h"

namespace frond::simulation {

// What all runs have in common.
struct SearchParts {
  Collection collection;
  // Nothing is logged: runs are read by their traces.
  Logger log{"simulation", static_cast<LogLevel>(static_cast<int>(LogLevel::kError) + 1)};
  metrics::Registry registry{"simulation"};
  broker::http::SearchMetrics metrics{registry};
};

class SearchWorld {
 public:
  // `folder`: for the leaves' data; empty at first, and afterwards the caller's to remove.
  SearchWorld(Run& run, SearchParts& parts, const std::filesystem::path& folder);
  // Until the end, or until something is broken.
  void play();
  std::uint64_t answered() const { return clients_.answered(); }
  std::uint64_t whole() const { return clients_.whole(); }

 private:
  // What may happen. Calm: nothing that may cost anybody a partition.
  enum class Kind { kCalm, kCrashes, kRough };
  void run_until(Instant end);
  void check_now();
  void ask_again();
  void go_wrong_again();
  void go_wrong();
  void swap();
  void be_late();
  void harm(LeafProcess& leaf);
  void harm_link(LeafProcess& leaf);
  void disturb(const LeafProcess& leaf, microseconds span);
  void kill_broker();
  void start_broker();
  void mend_all();
  bool others_are_well(const LeafProcess& leaf) const;

  Run& run_;
  SearchParts& parts_;
  const Kind kind_;
  // Also: a shard hears late of what is published while clients pause, and clients send costly searches together. In
  // a part of the runs, so that the others stay as they are.
  const bool more_;
  Repository repository_;
  Network network_;
  std::vector<std::unique_ptr<LeafProcess>> leaves_;
  Clients clients_;
  BrokerProcess::Options options_;
  std::unique_ptr<BrokerProcess> broker_;
  std::uint64_t brokers_ = 0;
  microseconds between_searches_;
  Clients::Asks asks_;
  Instant asks_until_, faults_until_, quiet_until_{};
  Instant nothing_asked_since_{};      // of leaves
  std::vector<Instant> disturbed_at_;  // each leaf or its links, until then
};

}  // namespace frond::simulation
