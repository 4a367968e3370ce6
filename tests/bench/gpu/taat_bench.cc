#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/gpu/gpu_engine.h"
#include "tests/bench/gpu/gov2.h"
#include "tests/bench/gpu/gpu_bench.h"
#include "tests/support/gpu/uploaded_list.h"
#include "tools/papers/term_at_a_time/term_at_a_time.h"

namespace frond::bench {
namespace {

using leaf::engine::Mode;
using leaf::engine::Plan;
using tools::papers::kSteps, tools::papers::Term, tools::papers::TermAtATime;

const SteadyClock kClock;

struct Lists {
  std::vector<support::UploadedList> uploaded;  // as Gov2::lists()
  std::uint32_t longest = 0;
};
Result<Lists> upload(const Gov2& gov2) {
  Lists made;
  for (const auto& lease : gov2.lists()) {
    made.uploaded.push_back(FROND_TRY(support::UploadedList::create(lease->postings, gov2.documents())));
    made.longest = std::max(made.longest, made.uploaded.back().list().count);
  }
  return made;
}

Result<bool> compare(const Gov2& gov2, leaf::engine::QueryEngine& engine, const Lists& lists,
                     std::span<const Plan> plans) {
  auto baseline = FROND_TRY(TermAtATime::create(gov2.lengths(), lists.longest));
  std::array<double, kSteps> steps{};
  std::size_t wrong = 0;
  double engine_us = 0;
  for (const Plan& plan : plans) {
    std::vector<Term> terms;
    for (const auto& term : plan.terms)
      terms.push_back({lists.uploaded[std::stoul(term.list->key.term)].list(), term.weight});
    (void)engine.search({&plan, 1}, kClock);
    const auto before = kClock.now();
    const auto wanted = engine.search({&plan, 1}, kClock);
    engine_us += std::chrono::duration<double, std::micro>(kClock.now() - before).count();
    const auto found = FROND_TRY(baseline.search(terms, plan.norm, plan.k));
    wrong += !wanted[0] || found.hits != wanted[0]->hits;
    for (std::size_t i = 0; i < kSteps; ++i) steps[i] += found.microseconds[i];
  }
  const auto mean = [&](double sum) { return sum / static_cast<double>(plans.size()); };
  double all = 0;
  for (const double step : steps) all += mean(step);
  std::printf(
      "or, k %-4u  term at a time: %8.1f us (initialization %.1f, decompression %.1f, scoring %.1f, top-k %.1f)  "
      "engine, "
      "alone: %7.1f us  %zu of %zu differ\n",
      plans[0].k, all, mean(steps[0]), mean(steps[1]), mean(steps[2]), mean(steps[3]), mean(engine_us), wrong,
      plans.size());
  std::fflush(stdout);
  return wrong == 0;
}

Result<bool> run(const TermAtATimeBenchOptions& options) {
  const Gov2 gov2(
      {.documents = options.documents, .lists = options.lists, .queries = options.queries, .threads = options.threads});
  leaf::cpu::CpuEngine cpu;
  const auto engine = FROND_TRY(leaf::gpu::GpuEngine::create(
      {.memory_bytes = options.memory_bytes, .copying = leaf::gpu::DeviceCache::Copying::kByTheCaller}, cpu));
  const Lists lists = FROND_TRY(upload(gov2));
  bool fine = true;
  for (const std::uint32_t k : {10u, 100u, 1000u}) {
    const auto plans = gov2.plans(Mode::kOr, k);
    fine = FROND_TRY(compare(gov2, *engine, lists, plans)) && fine;
  }
  return fine;
}

}  // namespace

int run_term_at_a_time_bench(const TermAtATimeBenchOptions& options) {
  const auto fine = run(options);
  if (!fine) std::printf("%s\n", fine.error().message().c_str());
  return fine && *fine ? 0 : 1;
}

}  // namespace frond::bench
