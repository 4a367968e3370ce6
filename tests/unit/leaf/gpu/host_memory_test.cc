// The host runs out of memory at any allocation: later searches are answered, and nothing of a caller that threw is
// left. A clock that throws stands for allocations that fail while the clock is read.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "leaf/engines.h"
#include "leaf/gpu/gpu_engine.h"
#include "leaf/gpu/tuning.h"
#include "tests/support/collections/indexed_collection.h"
#include "tests/support/memory/failing_allocations.h"

namespace frond::leaf::gpu {
namespace {

// Throws std::bad_alloc at the `look`-th call of now().
class ThrowingClock final : public Clock {
 public:
  explicit ThrowingClock(int look) : left_(look) {}
  Instant now() const override {
    if (--left_ == 0) throw std::bad_alloc();
    return Instant(std::chrono::seconds(1));
  }
  bool thrown() const { return left_ <= 0; }

 private:
  mutable int left_;
};

class GpuEngineWithoutMemory : public testing::Test {
 protected:
  static constexpr std::uint64_t kSeed = 911;

  GpuEngineWithoutMemory() {
    support::Random random(kSeed);
    for (int q = 0; q < 4; ++q)
      plans_.push_back(index_.plan(0, support::random_query(random, collection_, 3),
                                   q % 2 ? engine::Mode::kAnd : engine::Mode::kOr, 10));
    wanted_ = below_->search(plans_, clock_);
  }
  // An engine that has the plans' lists on its device.
  std::unique_ptr<GpuEngine> make(std::uint32_t runners) {
    auto engine = *GpuEngine::create({.memory_bytes = 2 * runners * BatchRunner::kMinBytes,
                                      .runners = runners,
                                      .copying = DeviceCache::Copying::kByTheCaller},
                                     *below_);
    expect_answered(*engine, "at first");
    return engine;
  }
  // Answered by the device, unless it is lost.
  void expect_answered(GpuEngine& engine, const std::string& what) {
    const auto before = engine.counters();
    const auto got = engine.search(plans_, clock_);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      ASSERT_TRUE(got[i].has_value()) << what << ": " << got[i].error().message();
      ASSERT_EQ(got[i]->hits, wanted_[i]->hits) << "seed " << kSeed << ", " << what;
    }
    const bool on_device = !engine.lost();
    EXPECT_EQ(engine.counters().batches, before.batches + (on_device ? 1 : 0)) << what;
  }

  const SteadyClock clock_;
  const support::Collection collection_ = support::random_collection(kSeed, {.documents = 300, .terms = 30});
  const support::IndexedCollection index_{collection_, {}};
  const std::unique_ptr<engine::QueryEngine> below_ = *engine_named("cpu");
  std::vector<engine::Plan> plans_;
  std::vector<Result<engine::Outcome>> wanted_;
};

TEST_F(GpuEngineWithoutMemory, GoesOnWhereverAnAllocationFails) {
  auto engine = make(1);
  bool survived = false;
  int thrown = 0, handed_back = 0, lost = 0;
  for (std::uint64_t count = 1; !survived && count < 2000; ++count) {
    const std::string what = "without allocation " + std::to_string(count);
    std::vector<std::optional<Result<engine::Outcome>>> got;
    support::fail_allocation(count);
    try {
      got = engine->try_search(plans_, clock_);
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
    survived = support::allocation_will_fail();
    support::fail_allocation(0);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i]) {
        ASSERT_EQ((*got[i])->hits, wanted_[i]->hits) << "seed " << kSeed << ", " << what;
      }
    }
    handed_back += !got.empty() && !got[0];
    expect_answered(*engine, what);
    if (HasFatalFailure()) return;
    if (engine->lost()) {
      ++lost;
      engine = make(1);
    }
  }
  EXPECT_TRUE(survived);
  EXPECT_GT(thrown, 0);
  EXPECT_GT(handed_back, lost);  // mostly only the host is affected
  EXPECT_GT(lost, 0);
}

TEST_F(GpuEngineWithoutMemory, WaitsForThePartsOfACallerThatLeaves) {
  // The plans make two parts. The clock is read for deadlines before and after the search, and between by those who
  // wait.
  auto asked = std::vector<engine::Plan>(kMaxQueries,
                                         index_.plan(0, std::vector<support::TermNumber>{5}, engine::Mode::kAnd, 1));
  asked.push_back(asked[0]);
  const auto wanted = below_->search(std::span(asked).first(1), clock_);
  asked.front().deadline = asked.back().deadline = Deadline::at(Instant(std::chrono::hours(1)));
  bool survived = false;
  for (int look = 1; !survived && look < 100; ++look) {
    const std::string what = "look " + std::to_string(look);
    const auto engine = make(2);
    const ThrowingClock clock(look);
    try {
      const auto got = engine->try_search(asked, clock);
      for (const auto& one : got) {
        if (one) {
          ASSERT_EQ((*one)->hits, wanted[0]->hits) << "seed " << kSeed << ", " << what;
        }
      }
    } catch (const std::bad_alloc&) {
    }
    survived = !clock.thrown();
    expect_answered(*engine, what);
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(survived);
}

TEST_F(GpuEngineWithoutMemory, LetsNoCallerWaitForOneThatFailed) {
  const auto engine = make(1);
  std::vector<std::jthread> callers;
  callers.reserve(4);
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&, c] {
      for (std::uint64_t count = 1; count < 60; count += 1) {
        support::fail_allocation(c % 2 == 0 ? count : 0);
        try {
          engine->try_search(plans_, clock_);
        } catch (const std::bad_alloc&) {
        }
      }
      support::fail_allocation(0);
    });
  callers.clear();
  expect_answered(*engine, "after all");
}

TEST(ADeviceCacheWithoutMemory, GoesOnCopyingWhereverAnAllocationOfItsThreadFails) {
  constexpr std::uint64_t kSeed = 912;
  const support::IndexedCollection index(support::random_collection(kSeed, {.documents = 300, .terms = 30}), {});
  const engine::Plan plan = index.plan(0, std::vector<support::TermNumber>{0, 1, 2}, engine::Mode::kOr, 10);
  const device::Memory memory = *device::Memory::create(device::Place::kDevice, std::size_t{16} << 20);
  device::Arena arena(memory.data(), memory.bytes());
  bool survived = false;
  std::uint64_t count = 1;
  for (; !survived && count < 500; ++count) {
    const auto cache = *DeviceCache::create(arena, {});
    support::fail_allocation_elsewhere(count);
    EXPECT_FALSE(cache->pin(plan));
    cache->settle();
    survived = support::allocation_will_fail_elsewhere();
    support::fail_allocation_elsewhere(0);
    for (int i = 0; i < 2; ++i) {  // what was not copied is ordered again
      static_cast<void>(cache->pin(plan));
      cache->settle();
    }
    ASSERT_TRUE(cache->pin(plan)) << "without allocation " << count;
    EXPECT_EQ(cache->counters().entries, 3u);
    cache->forget(plan.partition);
    EXPECT_EQ(arena.used(), 0u) << "without allocation " << count;
  }
  EXPECT_TRUE(survived);
  EXPECT_GT(count, 5u);
}

TEST(ADeviceCacheWithoutMemory, OrdersAgainWhatCouldNotBeOrdered) {
  const support::IndexedCollection index(support::random_collection(913, {.documents = 300, .terms = 30}), {});
  const engine::Plan plan = index.plan(0, std::vector<support::TermNumber>{0, 1, 2}, engine::Mode::kOr, 10);
  const device::Memory memory = *device::Memory::create(device::Place::kDevice, std::size_t{16} << 20);
  device::Arena arena(memory.data(), memory.bytes());
  int thrown = 0;
  bool survived = false;
  for (std::uint64_t count = 1; !survived && count < 100; ++count) {
    const auto cache = *DeviceCache::create(arena, {.copying = DeviceCache::Copying::kByTheCaller});
    support::fail_allocation(count);
    try {
      static_cast<void>(cache->pin(plan));
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
    survived = support::allocation_will_fail();
    support::fail_allocation(0);
    static_cast<void>(cache->pin(plan));
    ASSERT_TRUE(cache->pin(plan)) << "without allocation " << count;
    cache->forget(plan.partition);
  }
  EXPECT_TRUE(survived);
  EXPECT_GT(thrown, 5);
}

}  // namespace
}  // namespace frond::leaf::gpu
