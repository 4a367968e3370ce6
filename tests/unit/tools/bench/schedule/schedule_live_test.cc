// The scheduler with threads: every query is answered, refused or dropped, in every configuration.
#include "tools/bench/schedule/schedule_live.h"

#include <gtest/gtest.h>

#include "leaf/engines.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::tools::bench {
namespace {

TEST(LiveSchedules, AnswerEveryQuery) {
  support::ScratchFolder folder;
  ASSERT_TRUE(support::publish_generation(folder.path(), "c", support::random_documents(300, /*seed=*/5), 2));
  const auto searchers = *open_partitions({folder.path().string(), "c", 0, 0});
  const auto read = *parse_queries("t1 t2\nt3\nt0 t5 t1\nt4 t9\n", "", searchers[0]->analyzer());
  constexpr leaf::engine::Mode kModes[] = {leaf::engine::Mode::kAnd, leaf::engine::Mode::kOr};
  constexpr std::uint32_t kKs[] = {10};
  const auto queries = *plan_costed(searchers, read, kModes, kKs);
  const auto cpu = *leaf::engine_named("cpu"), gpu = *leaf::engine_named("exhaustive");  // in the GPU's place
  for (const auto configuration :
       {Configuration::kGpuOnly, Configuration::kCpuOnly, Configuration::kBetterOneAtATime, Configuration::kBoth}) {
    SCOPED_TRACE(static_cast<int>(configuration));
    SimulationOptions options{.configuration = configuration, .deadline_us = 2e6};
    options.queues.workers = 3;
    options.queues.streams = 2;
    options.queues.max_batch = 16;
    const auto arrivals = poisson_arrivals(1000, 20'000, queries.size(), 1);
    const auto result =
        run_live(queries, arrivals, options, {cpu.get(), gpu.get()}, leaf::schedule::default_cost_model());
    ASSERT_TRUE(result.has_value()) << result.error().message();
    EXPECT_EQ(result->answered + result->refused + result->dropped, arrivals.size());
    EXPECT_GT(result->answered, 0u);
    EXPECT_GT(result->mean_us, 0);
    EXPECT_TRUE(configuration != Configuration::kGpuOnly || result->on_gpu == result->answered);
    EXPECT_TRUE(configuration != Configuration::kCpuOnly || result->on_gpu == 0);
  }
}

}  // namespace
}  // namespace frond::tools::bench
