#pragma once
// A broker's cluster map over scripted leaves, with a clock that the test moves.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/cluster/cluster_map.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/scripted_leaf.h"

namespace frond::support {

// The content id in the generations of support::served().
constexpr ContentId content_of(Generation generation) { return 0x9e3779b97f4a7c15 * generation; }

// A generation of `total` partitions of 1,000 documents each, assigned round-robin. The leaf has the partitions
// `numbers`.
inline wire::ServedGeneration served(Generation generation, std::uint32_t total, std::vector<std::uint32_t> numbers) {
  wire::ServedGeneration out;
  out.generation = generation;
  out.content = content_of(generation);
  out.partitions_total = total;
  out.statistics = {1000ull * total, 100'000ull * total};
  for (const auto number : numbers) out.partitions.push_back({number, {number, total, 1000}});
  return out;
}
inline wire::HelloReply hello(std::vector<wire::ServedGeneration> generations, std::string collection = "c") {
  wire::HelloReply out;
  out.collection = std::move(collection);
  out.node = "node";
  out.features = wire::kAllFeatures;
  out.generations = std::move(generations);
  return out;
}

struct ScriptedCluster {
  // Leaves "tcp://0", "tcp://1", …
  explicit ScriptedCluster(std::size_t count, std::vector<std::string> others = {})
      : map(timers, log, {.collection = "c", .other_collections = std::move(others), .name = "broker:1", .instance = 7},
            [this](const std::string& endpoint, broker::cluster::News news) {
              return make(endpoint, std::move(news));
            }) {
    std::vector<std::string> endpoints;
    for (std::size_t i = 0; i < count; ++i) endpoints.push_back("tcp://" + std::to_string(i));
    (void)map.set_leaves(endpoints).has_value();
    timers.run_due();
  }
  Result<std::unique_ptr<broker::cluster::LeafClient>> make(const std::string& endpoint, broker::cluster::News news) {
    if (endpoint == "tcp://bad") return Error(Code::kInvalid, "bad");
    auto leaf = std::make_unique<ScriptedLeaf>(timers, std::move(news));
    leaves[endpoint] = leaf.get();
    return std::unique_ptr<broker::cluster::LeafClient>(std::move(leaf));
  }
  ScriptedLeaf& leaf(std::size_t i) { return *leaves.at("tcp://" + std::to_string(i)); }
  void advance(std::chrono::microseconds span) {
    clock.advance(span);
    timers.run_due();
  }

  ManualClock clock;
  Logger log{"test", LogLevel::kError};
  broker::cluster::TimerQueue timers{clock};
  std::map<std::string, ScriptedLeaf*> leaves;
  broker::cluster::ClusterMap map;
};

}  // namespace frond::support
