// A device that hangs under the engine: every plan is answered by the CPU, and the engine ends.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "leaf/engines.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/cuda_on_host/failures.h"

namespace frond::leaf::gpu {
namespace {

TEST(GpuEngine, AnswersEveryPlanWhereverTheDeviceHangs) {
  const SteadyClock clock;
  const std::uint64_t seed = 903;
  const auto collection = support::random_collection(seed, {.documents = 600, .terms = 30});
  const support::IndexedCollection index(collection, {});
  support::Random random(seed);
  std::vector<engine::Plan> plans;
  plans.reserve(4);
  for (int q = 0; q < 4; ++q)
    plans.push_back(index.plan(0, support::random_query(random, collection, 3),
                               q % 2 ? engine::Mode::kAnd : engine::Mode::kOr, 10));
  const auto below = *engine_named("cpu");
  const auto wanted = below->search(plans, clock);
  bool survived = false;
  std::uint64_t operations = 0;
  for (; !survived && operations < 1000; operations += 7) {
    auto engine = *GpuEngine::create({.memory_bytes = 2 * BatchRunner::kMinBytes,
                                      .runners = 1,
                                      .patience = std::chrono::milliseconds(150),
                                      .copying = DeviceCache::Copying::kByTheCaller},
                                     *below);
    const cuda_on_host::Failing failing(cuda_on_host::kFailures[1], operations + 1);
    for (int round = 0; round < 2; ++round) {
      const auto got = engine->search(plans, clock);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        ASSERT_TRUE(got[i].has_value()) << got[i].error().message();
        ASSERT_EQ(got[i]->hits, wanted[i]->hits) << "seed " << seed << ", hangs after " << operations;
      }
    }
    survived = !failing.happened();
    EXPECT_EQ(engine->lost(), !survived) << operations;
    EXPECT_EQ(device::given_up(), !survived) << operations;
    engine.reset();
  }
  EXPECT_TRUE(survived) << "more than " << operations << " operations";
  EXPECT_GT(operations, 20u);
}

}  // namespace
}  // namespace frond::leaf::gpu
