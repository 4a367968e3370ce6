// Searches across many leaves, simulated, beside what is known of queues and of the slowest of many.
#include "tools/plan/fan_out_simulation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace frond::tools::plan {
namespace {

constexpr std::uint64_t kSeed = 7;

SimulatedCluster cluster_of_one(double busy, std::uint32_t cores) {
  SimulatedCluster cluster;
  cluster.cores = cores;
  cluster.work_us = 1000;
  cluster.work.points = {{0, 1}, {1, 1}};
  cluster.rate = busy * cores * 1e6 / cluster.work_us;
  return cluster;
}

// The exponential distribution's, closely enough for its mean and waits.
WorkSpread exponential() {
  WorkSpread spread;
  for (int i = 0; i < 4000; ++i) spread.points.push_back({i / 4000.0, -std::log1p(-i / 4000.0)});
  spread.points.push_back({1, 9.3});
  return spread;
}

// The share of searches that wait, of `cores` (Erlang C).
double erlang_c(double busy, std::uint32_t cores) {
  const double load = busy * cores;
  double term = 1, sum = 0;
  for (std::uint32_t i = 0; i < cores; ++i, term *= load / i) sum += term;
  const double all = term / (1 - busy);
  return all / (sum + all);
}

TEST(FanOutSimulation, WaitsAsTheKnownFormulaOfEqualWorkSays) {
  for (const double busy : {0.3, 0.5, 0.7}) {
    const auto latency = simulate(cluster_of_one(busy, 1), 200'000, kSeed);
    const double wait = busy * 1000 / (2 * (1 - busy));  // M/D/1
    EXPECT_NEAR(latency.mean_us() - 1000, wait, 0.05 * wait) << "busy " << busy << ", seed " << kSeed;
  }
}

TEST(FanOutSimulation, WaitsAsTheKnownFormulaOfManyCoresSays) {
  for (const std::uint32_t cores : {1u, 2u, 8u})
    for (const double busy : {0.5, 0.7}) {
      SimulatedCluster cluster = cluster_of_one(busy, cores);
      cluster.work = exponential();
      const auto latency = simulate(cluster, 200'000, kSeed);
      const double wait = erlang_c(busy, cores) * 1000 / (cores * (1 - busy));  // M/M/c
      EXPECT_NEAR(latency.mean_us() - 1000, wait, 0.06 * wait + 5)
          << cores << " cores, busy " << busy << ", seed " << kSeed;
    }
}

TEST(FanOutSimulation, LightSearchesDoNotWaitForHeavyOnesWhichTakeLonger) {
  SimulatedCluster cluster = cluster_of_one(0.7, 2);
  cluster.work.points = {{0, 0.2}, {0.9, 0.2}, {0.9001, 8.2}, {1, 8.2}};
  const auto in_order = simulate(cluster, 100'000, kSeed);
  cluster.postings = 30'000;  // light ones 6,000, heavy ones 246,000: these have threads of their own
  const auto apart = simulate(cluster, 100'000, kSeed);
  EXPECT_LT(apart.quantile_us(0.5), in_order.quantile_us(0.5) / 2) << "seed " << kSeed;
  EXPECT_GT(apart.quantile_us(0.97), 1.2 * 8'200) << "seed " << kSeed;
}

TEST(FanOutSimulation, MeetsAStallOnOneOfManyLeavesAsOftenAsChanceSays) {
  for (const std::uint32_t shards : {1u, 10u, 100u, 1000u}) {
    SimulatedCluster cluster = cluster_of_one(1e-6, 1);  // a stall has ended when the next search comes
    cluster.shards = shards;
    cluster.stall_share = 0.002;
    cluster.stall_us = 1e6;
    const auto latency = simulate(cluster, 20'000, kSeed);
    // A stall is longer than 10 ms with probability e^-0.01.
    const double expected = 1 - std::pow(1 - 0.002 * std::exp(-0.01), shards);
    EXPECT_NEAR(latency.share_above(11'000), expected, 0.03 * expected + 0.002) << shards << " shards, seed " << kSeed;
  }
}

TEST(FanOutSimulation, SearchesThatWaitForTheSameLeavesTakeTheirTurns) {
  SimulatedCluster cluster = cluster_of_one(0.0001, 1);
  cluster.shards = cluster.leaves_a_machine = 4;
  EXPECT_NEAR(simulate(cluster, 1'000, kSeed).quantile_us(0.5), 4'000, 1);  // one core for four leaves
  cluster.cores = 4;
  EXPECT_NEAR(simulate(cluster, 1'000, kSeed).quantile_us(0.5), 1'000, 1);
  cluster.shards = cluster.leaves_a_machine = 1;
  cluster.partitions = 4;  // a search is shared by idle cores
  EXPECT_NEAR(simulate(cluster, 1'000, kSeed).quantile_us(0.5), 250, 1);
}

TEST(FanOutSimulation, ASecondReplicaIsAskedWithinTheBudgetAndShortensTheTail) {
  SimulatedCluster cluster = cluster_of_one(0.2, 4);
  cluster.shards = 20;
  cluster.replicas = 2;
  cluster.stall_share = 0.005;
  cluster.stall_us = 100'000;
  const auto without = simulate(cluster, 20'000, kSeed);
  cluster.hedge_share = 0.05;
  const auto with = simulate(cluster, 20'000, kSeed);
  EXPECT_EQ(without.hedges, 0);
  EXPECT_GT(with.hedges, 0.002);
  EXPECT_LE(with.hedges, 0.051);
  EXPECT_LT(with.quantile_us(0.99), without.quantile_us(0.99) / 5) << "seed " << kSeed;
}

TEST(FanOutSimulation, AReplicaThatIsDownLeavesItsWorkToTheOthers) {
  SimulatedCluster cluster = cluster_of_one(0.4, 1);
  cluster.rate *= 2;  // of two replicas, 0.4 each
  cluster.replicas = 2;
  const auto usual = simulate(cluster, 50'000, kSeed);
  cluster.one_down = true;
  const auto alone = simulate(cluster, 50'000, kSeed);
  const double wait = 0.8 * 1000 / (2 * 0.2);  // M/D/1, 0.8 busy
  EXPECT_NEAR(alone.mean_us() - 1000, wait, 0.1 * wait) << "seed " << kSeed;
  EXPECT_LT(usual.mean_us(), alone.mean_us());
}

TEST(FanOutSimulation, IsTheSameForTheSameSeedAndOnlyForThat) {
  SimulatedCluster cluster = cluster_of_one(0.6, 2);
  cluster.shards = 5;
  cluster.replicas = 2;
  cluster.hedge_share = 0.05;
  cluster.stall_share = 0.01;
  cluster.stall_us = 20'000;
  cluster.leaf_spread = 0.2;
  EXPECT_EQ(simulate(cluster, 5'000, 1).sorted_us, simulate(cluster, 5'000, 1).sorted_us);
  EXPECT_NE(simulate(cluster, 5'000, 1).sorted_us, simulate(cluster, 5'000, 2).sorted_us);
}

TEST(FanOutSimulation, ThousandsOfLeavesTakeSeconds) {
  SimulatedCluster cluster = cluster_of_one(0.5, 16);
  cluster.shards = 4'096;
  cluster.leaf_spread = 0.2;
  cluster.broker_threads = 64;
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(simulate(cluster, 1'000, kSeed).sorted_us.size(), 900u);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60));  // half a second, undisturbed
}

}  // namespace
}  // namespace frond::tools::plan
