#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/bench/gpu/gov2.h"
#include "tests/bench/gpu/gpu_bench.h"
#include "tests/support/collections/random_collection.h"

namespace frond::bench {
namespace {

using leaf::Mode;
using leaf::Plan;
using leaf::QueryEngine;

const SteadyClock kClock;
constexpr std::size_t kPlans = 256;  // of a row

// Microseconds a query of the wall clock, in batches of `size` by so many callers; the best of three rounds.
double time_batches(QueryEngine& engine, std::span<const Plan> plans, std::size_t size, int callers, int times) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    std::atomic<std::size_t> next{0};
    const std::size_t parts = (plans.size() + size - 1) / size, all = parts * static_cast<std::size_t>(times);
    const auto before = kClock.now();
    {
      std::vector<std::jthread> threads;
      for (int c = 0; c < callers; ++c)
        threads.emplace_back([&] {
          for (std::size_t i = next++; i < all; i = next++) {
            const std::size_t first = i % parts * size;
            (void)engine.search(plans.subspan(first, std::min(size, plans.size() - first)), kClock);
          }
        });
    }
    const double us = std::chrono::duration<double, std::micro>(kClock.now() - before).count();
    best = std::min(best, us / static_cast<double>(plans.size()) / times);
  }
  return best;
}

// Queries of two lists with about so many postings between them; fewer than kPlans where there are no such lists.
std::vector<Plan> plans_of(const Gov2& gov2, Mode mode, double postings) {
  support::Random random(static_cast<std::uint64_t>(postings));
  std::vector<std::uint32_t> near;
  for (std::uint32_t i = 0; i < gov2.lists().size(); ++i) {
    const auto count = static_cast<double>(gov2.lists()[i]->postings.count());
    if (count > postings / 4 && count < postings) near.push_back(i);
  }
  std::vector<Plan> plans;
  for (int tries = 0; near.size() > 1 && plans.size() < kPlans && tries < 100'000; ++tries) {
    const std::uint32_t one = near[random.below(near.size())], other = near[random.below(near.size())];
    const auto sum = static_cast<double>(gov2.lists()[one]->postings.count() + gov2.lists()[other]->postings.count());
    if (one == other || sum < 0.8 * postings || sum > 1.25 * postings) continue;
    plans.push_back(gov2.plan(mode, 10, std::vector{one, other}));
    plans.back().count_to = Plan::kCountOfLeaves;
  }
  return plans;
}

}  // namespace

int run_break_even_bench(const QueryBenchOptions& options) {
  const Gov2 gov2({.documents = options.documents,
                   .lists = options.lists,
                   .queries = 1,
                   .threads = options.threads,
                   .shortest = 100,
                   .longest = 0.12});
  leaf::CpuEngine cpu;
  const auto gpu = leaf::gpu::GpuEngine::create(
      {.memory_bytes = options.memory_bytes, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller}, cpu);
  if (!gpu) return std::printf("%s\n", gpu.error().message().c_str()), 1;
  std::printf(
      "us a query; cpu: one thread; gpu: batches of 1, 16, 64, 256 by one caller, of 1 by 8 callers, of 256 by 3\n");
  for (const Mode mode : {Mode::kOr, Mode::kAnd}) {
    for (double postings = 500; postings < 0.2 * options.documents; postings *= 2) {
      const auto plans = plans_of(gov2, mode, postings);
      if (plans.size() < kPlans) continue;
      (void)(*gpu)->search(plans, kClock);  // copies the lists
      const std::uint64_t fallbacks = (*gpu)->counters().fallbacks;
      std::printf("%-4s %9.0f postings  cpu %8.2f  gpu", mode == Mode::kOr ? "or" : "and", postings,
                  time_batches(cpu, plans, 1, 1, 1));
      for (const std::size_t size : {1u, 16u, 64u, 256u}) std::printf(" %7.2f", time_batches(**gpu, plans, size, 1, 2));
      std::printf("  %7.2f %7.2f", time_batches(**gpu, plans, 1, 8, 4), time_batches(**gpu, plans, 256, 3, 12));
      std::printf("%s\n", (*gpu)->counters().fallbacks == fallbacks ? "" : "  (FALLBACKS)");
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace frond::bench
