#pragma once
// A search over three scripted leaves.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "broker/scatter/search.h"
#include "tests/support/scripted_cluster.h"
#include "tests/support/scripted_replies.h"

namespace frond::broker::scatter {

// Leaves 0 and 1 have partitions 0 and 1; leaf 2 has partition 2. With no_replica(), leaf 1 is down.
class ASearch : public testing::Test {
 protected:
  ASearch() {
    cluster.leaf(0).hellos.answer(support::hello({support::served(1, 3, {0, 1})}));
    cluster.leaf(1).hellos.answer(support::hello({support::served(1, 3, {0, 1})}));
    cluster.leaf(2).hellos.answer(support::hello({support::served(1, 3, {2})}));
  }
  // An open search, its leaves' clients and their callbacks hold each other.
  ~ASearch() override {
    if (running) running->abandon();
  }
  void no_replica() { cluster.map.report_unavailable(cluster.map.leaves()[1], "down"); }
  void start(std::chrono::milliseconds time = std::chrono::milliseconds(1000), std::uint32_t k = 10,
             std::uint32_t offset = 0) {
    SearchPlan plan;
    plan.topology = cluster.map.topology();
    plan.request.mode = wire::Mode::kOr;
    plan.request.terms = {{"word", 1}};
    plan.request.rank = rank;
    plan.k = k;
    plan.offset = offset;
    plan.fields = fields;
    plan.explain = explain;
    running = search(context, std::move(plan), Deadline::after(cluster.clock, time), [this](merge::Page done) {
      ASSERT_FALSE(page) << "once";
      page = std::move(done);
    });
  }
  support::ScriptedLeaf& leaf(std::size_t i) { return cluster.leaf(i); }
  // Answers all open hellos, so that no leaf is taken for dead.
  void greet() {
    for (std::size_t i : {0, 1, 2})
      while (leaf(i).hellos.open() > 0)
        leaf(i).hellos.answer(support::hello({i == 2 ? support::served(1, 3, {2}) : support::served(1, 3, {0, 1})}));
  }
  void fetch_all() {
    for (std::size_t i : {0, 1, 2})
      while (leaf(i).fetches.open() > 0) {
        for (const auto& asked : leaf(i).fetches.asked)
          if (*asked.done) {
            leaf(i).fetches.answer(support::documents(asked.request));
            break;
          }
      }
  }
  std::string ids() const {
    std::string out;
    for (const auto& hit : page->hits) out += hit.id + " ";
    return out;
  }
  std::string unsearched() const {
    std::string out;
    for (const auto& one : page->unsearched)
      out += std::to_string(one.partition) + ":" + std::string(name_of(one.reason)) + " ";
    return out;
  }

  std::uint8_t fields = wire::kAllFields;
  bool explain = false;
  wire::Rank rank = wire::Rank::kScore;
  support::ScriptedCluster cluster{3};
  ScatterContext context{cluster.map, cluster.timers};
  std::optional<merge::Page> page;
  std::shared_ptr<Abandonable> running;
  std::uint64_t hedged = 0;
};

}  // namespace frond::broker::scatter
