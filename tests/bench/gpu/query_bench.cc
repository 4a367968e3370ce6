#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/bench/gpu/gov2.h"
#include "tests/bench/gpu/gpu_bench.h"

namespace frond::bench {
namespace {

using leaf::Mode;
using leaf::Outcome;
using leaf::Plan;
using leaf::QueryEngine;

const SteadyClock kClock;

double seconds_of(const std::function<void()>& work) {
  const auto before = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

struct Spread {
  double least = 0, median = 0, most = 0;
};
Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

// Batches of `size` plans by `callers` threads, the whole set `times` times over: queries a second.
double batch_rate(QueryEngine& engine, std::span<const Plan> plans, std::size_t size, int callers, int times) {
  std::atomic<std::size_t> next{0};
  const std::size_t parts = (plans.size() + size - 1) / size, all = parts * static_cast<std::size_t>(times);
  const double seconds = seconds_of([&] {
    std::vector<std::jthread> threads;
    for (int c = 0; c < callers; ++c)
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < all; i = next++) {
          const std::size_t first = i % parts * size;
          const auto got = engine.search(plans.subspan(first, std::min(size, plans.size() - first)), kClock);
          if (!got[0]) std::printf("an error: %s\n", got[0].error().message().c_str());
        }
      });
  });
  return static_cast<double>(plans.size()) * times / seconds;
}

void print_rate(const char* what, const char* mode, std::uint32_t k, std::size_t batch, const Spread& rate) {
  std::printf("%-22s %-5s k %-5u batch %-5zu %10.0f queries/s  (%.0f .. %.0f)\n", what, mode, k, batch, rate.median,
              rate.least, rate.most);
  std::fflush(stdout);
}

Spread rates(QueryEngine& engine, std::span<const Plan> plans, std::size_t batch, int callers, int times) {
  std::vector<double> values;
  for (int round = 0; round < 3; ++round) values.push_back(batch_rate(engine, plans, batch, callers, times));
  return spread_of(std::move(values));
}

void print_alone(const char* what, QueryEngine& engine, std::span<const Plan> plans, const char* mode) {
  std::vector<double> all;
  for (const Plan& plan : plans) {
    double best = 1;
    for (int round = 0; round < 3; ++round)
      best = std::min(best, seconds_of([&] { (void)engine.search(std::span(&plan, 1), kClock); }));
    all.push_back(best * 1e6);
  }
  std::sort(all.begin(), all.end());
  double mean = 0;
  for (const double one : all) mean += one / static_cast<double>(all.size());
  std::printf("%-22s %-5s alone: mean %.1f us, p50 %.1f, p95 %.1f, p99 %.1f\n", what, mode, mean, all[all.size() / 2],
              all[all.size() * 95 / 100], all[all.size() * 99 / 100]);
  std::fflush(stdout);
}

// AND for all, then OR for those that AND leaves with fewer than k.
double auto_rate(QueryEngine& engine, std::span<const Plan> conjunctions, std::span<const Plan> disjunctions) {
  std::size_t more = 0;
  const double seconds = seconds_of([&] {
    const auto found = engine.search(conjunctions, kClock);
    std::vector<Plan> rest;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i]->matches < conjunctions[i].k) rest.push_back(disjunctions[i]);
    more = rest.size();
    if (!rest.empty()) (void)engine.search(rest, kClock);
  });
  (void)more;
  return static_cast<double>(conjunctions.size()) / seconds;
}

bool same(QueryEngine& one, QueryEngine& other, std::span<const Plan> plans) {
  const auto a = one.search(plans, kClock);
  std::atomic<std::size_t> next{0}, wrong{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < plans.size(); i = next++) {
        const auto b = other.search(plans.subspan(i, 1), kClock);
        if (!a[i] || !b[0] || a[i]->hits != b[0]->hits) ++wrong;
      }
    });
  threads.clear();
  if (wrong > 0) std::printf("WRONG: %zu of %zu plans differ\n", wrong.load(), plans.size());
  return wrong == 0;
}

// Where the time of a batch goes, in microseconds a query.
void print_steps(QueryEngine& below, std::size_t memory_bytes, std::span<const Plan> plans, const char* mode) {
  const auto made = leaf::gpu::GpuEngine::create(
      {.memory_bytes = memory_bytes, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller, .timed = true}, below);
  if (!made) return;
  (void)(*made)->search(plans, kClock);
  const leaf::gpu::BatchSteps before = (*made)->steps();
  constexpr int kTimes = 4;
  for (int i = 0; i < kTimes; ++i) (void)(*made)->search(plans, kClock);
  const leaf::gpu::BatchSteps after = (*made)->steps();
  constexpr const char* kNames[] = {"build", "transfer", "start", "search", "select", "answers", "outcomes"};
  std::printf("steps, us a query      %-5s", mode);
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    std::printf("  %s %.2f", kNames[i],
                (after.microseconds[i] - before.microseconds[i]) / kTimes / static_cast<double>(plans.size()));
  std::printf("  (%llu parts)\n", static_cast<unsigned long long>(after.parts - before.parts));
  std::fflush(stdout);
}

}  // namespace

int run_query_bench(const QueryBenchOptions& options) {
  const Gov2 gov2(
      {.documents = options.documents, .lists = options.lists, .queries = options.queries, .threads = options.threads});
  std::printf("%u documents, %u lists, %u queries, %.0f postings a query\n", gov2.documents(), options.lists,
              options.queries, gov2.postings_a_query());
  leaf::CpuEngine cpu;
  auto made = leaf::gpu::GpuEngine::create(
      {.memory_bytes = options.memory_bytes, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller}, cpu);
  if (!made) {
    std::printf("%s\n", made.error().message().c_str());
    return 1;
  }
  leaf::gpu::GpuEngine& gpu = **made;
  const auto all_or = gov2.plans(Mode::kOr, 10), all_and = gov2.plans(Mode::kAnd, 10);
  // As leaves ask: matches are counted exactly as far as Plan::kCountOfLeaves.
  const auto leaf_and = [&gov2](std::uint32_t k) {
    auto plans = gov2.plans(Mode::kAnd, k);
    for (Plan& plan : plans) plan.count_to = std::max<std::uint64_t>(k, Plan::kCountOfLeaves);
    return plans;
  };
  const auto some_and = leaf_and(10);
  const double first = seconds_of([&] { (void)gpu.search(all_or, kClock); });
  const auto copied = gpu.counters().lists;
  std::printf("first search, which copies all lists: %.2f s, %.2f GB, %llu lists refused\n", first,
              static_cast<double>(copied.copied_bytes) * 1e-9, static_cast<unsigned long long>(copied.refused));
  if (copied.refused > 0 || gpu.counters().fallbacks > 0) return std::printf("not all on the device\n"), 1;
  bool fine = same(gpu, cpu, all_or) && same(gpu, cpu, all_and) && same(gpu, cpu, some_and);
  std::printf("hits equal to those of engine cpu: %s\n", fine ? "yes" : "NO");
  if (!fine) return 1;
  const int times = static_cast<int>(options.times);
  for (const std::uint32_t k : {10u}) {
    const auto disjunctions = gov2.plans(Mode::kOr, k), conjunctions = gov2.plans(Mode::kAnd, k);
    print_rate("gpu, 1 caller", "or", k, options.queries, rates(gpu, disjunctions, options.queries, 1, times));
    print_rate("gpu, 1 caller", "and", k, options.queries, rates(gpu, conjunctions, options.queries, 1, times));
    print_rate("gpu, 3 callers", "or", k, options.queries, rates(gpu, disjunctions, options.queries, 3, 3 * times));
    print_rate("gpu, 3 callers", "and", k, options.queries, rates(gpu, conjunctions, options.queries, 3, 3 * times));
    print_rate("gpu, 1 caller", "and<", k, options.queries, rates(gpu, some_and, options.queries, 1, times));
    print_rate("gpu, 3 callers", "and<", k, options.queries, rates(gpu, some_and, options.queries, 3, 3 * times));
  }
  print_steps(cpu, options.memory_bytes, all_or, "or");
  print_steps(cpu, options.memory_bytes, all_and, "and");
  print_steps(cpu, options.memory_bytes, some_and, "and<");
  for (const std::size_t batch : {16u, 64u, 256u}) {
    print_rate("gpu, 3 callers", "or", 10, batch, rates(gpu, all_or, batch, 3, times));
    print_rate("gpu, 3 callers", "and", 10, batch, rates(gpu, all_and, batch, 3, times));
  }
  std::vector<double> autos;
  for (int round = 0; round < 5; ++round) autos.push_back(auto_rate(gpu, some_and, all_or));
  print_rate("gpu, 1 caller", "auto", 10, options.queries, spread_of(std::move(autos)));
  const std::span few = std::span(all_or).first(std::min<std::size_t>(500, all_or.size()));
  print_alone("gpu", gpu, few, "or");
  print_alone("gpu", gpu, std::span(all_and).first(few.size()), "and");
  print_alone("gpu", gpu, std::span(some_and).first(few.size()), "and<");
  print_alone("cpu", cpu, few.first(std::min<std::size_t>(100, few.size())), "or");
  print_alone("cpu", cpu, std::span(all_and).first(std::min<std::size_t>(100, few.size())), "and");
  for (const std::uint32_t k : {100u, 1000u}) {
    const auto disjunctions = gov2.plans(Mode::kOr, k), conjunctions = leaf_and(k);
    if (k == 1000) print_steps(cpu, options.memory_bytes, disjunctions, "or");
    print_rate("gpu, 1 caller", "or", k, options.queries, rates(gpu, disjunctions, options.queries, 1, times));
    print_rate("gpu, 1 caller", "and<", k, options.queries, rates(gpu, conjunctions, options.queries, 1, times));
    print_rate("gpu, 3 callers", "or", k, options.queries, rates(gpu, disjunctions, options.queries, 3, 3 * times));
    print_rate("gpu, 3 callers", "and<", k, options.queries, rates(gpu, conjunctions, options.queries, 3, 3 * times));
  }
  const int callers = static_cast<int>(options.threads);
  std::printf("cpu: %d threads\n", callers);
  print_rate("cpu", "or", 10, 1, spread_of({batch_rate(cpu, all_or, 1, callers, 1)}));
  print_rate("cpu", "and", 10, 1, spread_of({batch_rate(cpu, all_and, 1, callers, 1)}));
  const auto counted = gpu.counters();
  std::printf("batches %llu, plans %llu, fallbacks %llu, unanswered %llu, state %s\n",
              static_cast<unsigned long long>(counted.batches), static_cast<unsigned long long>(counted.plans),
              static_cast<unsigned long long>(counted.fallbacks), static_cast<unsigned long long>(counted.unanswered),
              gpu.state() == leaf::gpu::GpuEngine::State::kReady ? "ready" : "LOST");
  fine = fine && counted.fallbacks == 0;
  return fine ? 0 : 1;
}

}  // namespace frond::bench
