// A device that fails at any operation: every plan is still answered, with the CPU's hits, and the engine's state is
// kLost.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leaf/engines.h"
#include "leaf/gpu/gpu_engine.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/worker_pool.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/cuda_on_host/fibers.h"

namespace frond::leaf::gpu {
namespace {

// A query of one plan that only the GPU may run.
class GpuQuery final : public schedule::Query {
 public:
  explicit GpuQuery(std::function<void(const schedule::GpuAnswer&)> done) : done_(std::move(done)) {
    for_cpu = false;
    costs.cpu.us = costs.gpu.us = 10;
  }
  void search_on_cpu() override { ADD_FAILURE() << "the scheduler still has a GPU"; }
  void take_answers(std::vector<schedule::GpuAnswer> answers) override { done_(answers.at(0)); }
  void drop() override { ADD_FAILURE() << "it has no deadline"; }

 private:
  std::function<void(const schedule::GpuAnswer&)> done_;
};

TEST(GpuEngine, AnswersEveryPlanWhereverTheDeviceFails) {
  const SteadyClock clock;
  const std::uint64_t seed = 901;
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
  for (; !survived && operations < 1000; operations += 3) {
    cuda_on_host::lose_device_after(0);
    const auto engine = *GpuEngine::create(
        {.memory_bytes = 2 * BatchRunner::kMinBytes, .runners = 1, .copying = DeviceCache::Copying::kByTheCaller},
        *below);
    cuda_on_host::lose_device_after(operations + 1);
    for (int round = 0; round < 2; ++round) {
      const auto got = engine->search(plans, clock);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        ASSERT_TRUE(got[i].has_value()) << got[i].error().message();
        ASSERT_EQ(got[i]->hits, wanted[i]->hits) << "seed " << seed << ", lost after " << operations;
      }
    }
    survived = !cuda_on_host::was_lost();
    EXPECT_EQ(engine->lost(), !survived) << operations;
  }
  EXPECT_TRUE(survived) << "more than " << operations << " operations";
  EXPECT_GT(operations, 10u);
  cuda_on_host::lose_device_after(0);
}

TEST(GpuEngine, HandsEveryPlanOfABatchBackWhereverTheDeviceFails) {
  const SteadyClock clock;
  const std::uint64_t seed = 902;
  const auto collection = support::random_collection(seed, {.documents = 400, .terms = 30});
  const support::IndexedCollection index(collection, {});
  support::Random random(seed);
  std::vector<engine::Plan> plans;
  plans.reserve(12);
  for (int q = 0; q < 12; ++q)
    plans.push_back(index.plan(0, support::random_query(random, collection, 3),
                               q % 2 ? engine::Mode::kAnd : engine::Mode::kOr, 10));
  const auto below = *engine_named("cpu");
  const auto wanted = below->search(plans, clock);
  for (std::uint64_t operations = 1; operations < 120; operations += 17) {
    cuda_on_host::lose_device_after(0);
    const auto engine = *GpuEngine::create(
        {.memory_bytes = 4 * BatchRunner::kMinBytes, .runners = 2, .copying = DeviceCache::Copying::kByTheCaller},
        *below);
    cuda_on_host::lose_device_after(operations);
    std::atomic<std::size_t> answered{0}, handed_back{0}, wrong{0};
    {
      schedule::WorkerPool pool({2, 100}, clock, nullptr);
      schedule::QueryScheduler scheduler({.gpu_batches = 2, .max_batch = 3},
                                         {[&](std::span<const engine::Plan> some, engine::BatchTimes& times) {
                                            return engine->try_search(some, clock, &times);
                                          },
                                          {}},
                                         pool, clock, nullptr);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        const auto query = std::make_shared<GpuQuery>([&, i](const schedule::GpuAnswer& answer) {
          if (!answer)
            ++handed_back;
          else if (!*answer || (*answer)->hits != wanted[i]->hits)
            ++wrong;
          ++answered;
        });
        query->plans.push_back(plans[i]);
        ASSERT_EQ(scheduler.submit(query), schedule::QueryScheduler::Admitted::kYes);
      }
      scheduler.drain();
      pool.drain();
    }
    EXPECT_EQ(answered, plans.size());
    EXPECT_EQ(wrong, 0u) << "seed " << seed << ", lost after " << operations;
    if (operations == 1) {
      EXPECT_EQ(handed_back, plans.size());
    }
  }
  cuda_on_host::lose_device_after(0);
}

}  // namespace
}  // namespace frond::leaf::gpu
