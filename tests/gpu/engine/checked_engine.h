#pragma once
// A GPU engine for tests, and what its answers are compared with.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "leaf/engines.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/support/collections/indexed_collection.h"

namespace frond::leaf::gpu {

inline const SteadyClock kClock;

// An engine over the CPU engine, whose lists are copied when a plan first needs them.
struct Engine {
  explicit Engine(GpuEngine::Options options = {}) {
    options.copying = DeviceCache::Copying::kByTheCaller;
    if (options.memory_bytes == GpuEngine::Options{}.memory_bytes) options.memory_bytes = std::size_t{100} << 20;
    auto made = GpuEngine::create(options, *below);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    engine = *std::move(made);
  }
  GpuEngine* operator->() { return engine.get(); }
  std::unique_ptr<engine::QueryEngine> below = *engine_named("cpu");
  std::unique_ptr<GpuEngine> engine;
};

// `wanted`: the oracle's answer for a k that is not smaller.
inline void expect_same(const Result<engine::Outcome>& got, const Result<engine::Outcome>& wanted,
                        const engine::Plan& plan, const std::string& what) {
  ASSERT_TRUE(got.has_value()) << what << ": " << got.error().message();
  auto hits = wanted->hits;
  hits.resize(std::min<std::size_t>(plan.k, hits.size()));
  const scoring::Score floor = plan.floor && plan.ranked ? plan.floor->get() : 0;
  // Documents below the floor may be missing.
  const auto above = [floor](std::vector<topk::Hit> list) {
    std::erase_if(list, [floor](const topk::Hit& hit) { return hit.score < floor; });
    return list;
  };
  ASSERT_EQ(above(got->hits), above(hits)) << what;
  ASSERT_GE(got->matches, got->hits.size()) << what;
  ASSERT_GE(got->matches, std::min(plan.mode == engine::Mode::kAnd ? plan.count_to : 0, wanted->matches)) << what;
  ASSERT_TRUE(got->exact || (plan.terms.size() > 1 && plan.ranked)) << what;
  if (got->exact)
    ASSERT_EQ(got->matches, wanted->matches) << what;
  else
    ASSERT_LE(got->matches, wanted->matches) << what;
}

// Gives the plans to the engine in batches of random sizes.
inline void expect_same_in_batches(Engine& engine, const std::vector<engine::Plan>& plans,
                                   const std::vector<Result<engine::Outcome>>& wanted,
                                   const std::vector<std::string>& told, support::Random& random) {
  for (std::size_t first = 0; first < plans.size();) {
    const std::size_t size = std::min<std::size_t>(plans.size() - first, 1 + random.below(100));
    const auto got = engine->search(std::span(plans).subspan(first, size), kClock);
    for (std::size_t i = 0; i < size; ++i) {
      expect_same(got[i], wanted[first + i], plans[first + i], told[first + i]);
      if (testing::Test::HasFatalFailure()) return;
    }
    first += size;
  }
}

struct Case {
  const char* name;
  std::uint64_t seed;
  support::CollectionOptions options;
  int queries = 60;
  scoring::Bm25Parameters bm25{};
  bool own_bm25 = false;  // queries ask for a k1 and b of their own
};
inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name << ", seed " << c.seed; }

}  // namespace frond::leaf::gpu
