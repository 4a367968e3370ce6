#include "tools/bench/schedule/cost_measurement.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "common/base/threads/parallel.h"
#include "tools/bench/measure.h"
#include "tools/synth/random.h"

namespace frond::tools::bench {
namespace {

using leaf::engine::Mode, leaf::engine::Plan;
using leaf::schedule::CostModel, leaf::schedule::Processor;

// One query in one mode and for one k.
Result<CostedQuery> planned(std::span<const std::unique_ptr<PartitionSearcher>> searchers, const BenchQuery& query,
                            Mode mode, std::uint32_t k) {
  CostedQuery costed;
  costed.features.mode = mode;
  costed.features.k = k;
  std::vector<std::uint64_t> postings(query.size()), blocks(query.size());
  costed.features.partitions = static_cast<std::uint32_t>(searchers.size());
  for (const auto& searcher : searchers) {
    Plan plan = FROND_TRY(searcher->plan(query, mode, k));
    plan.count_to = std::max<std::uint64_t>(k, Plan::kCountOfLeaves);
    costed.features.documents += plan.lengths.size();
    bool any_empty = false;
    std::size_t at = 0;
    for (const auto& term : plan.terms) {
      while (query[at].text != term.list->key.term) ++at;  // under OR some terms have no list here
      postings[at] += term.list->postings.count();
      blocks[at] += term.list->postings.blocks();
      any_empty = any_empty || term.list->postings.count() == 0;
    }
    if (!plan.terms.empty() && !(mode == Mode::kAnd && any_empty)) costed.plans.push_back(std::move(plan));
  }
  for (std::size_t i = 0; i < query.size(); ++i)
    if (postings[i] > 0) costed.features.add_list(postings[i], blocks[i]);
  if (mode == Mode::kAnd && costed.features.terms < query.size()) costed.plans.clear();
  return costed;
}

}  // namespace

Result<std::vector<std::unique_ptr<PartitionSearcher>>> open_partitions(PartitionChoice choice) {
  std::vector<std::unique_ptr<PartitionSearcher>> searchers;
  for (choice.partition = 0;; ++choice.partition, ++choice.number) {
    auto next = PartitionSearcher::open(choice);
    if (!next && next.error().code() == Code::kNotFound && !searchers.empty()) return searchers;
    searchers.push_back(FROND_TRY(std::move(next)));
  }
}

Result<std::vector<CostedQuery>> plan_costed(std::span<const std::unique_ptr<PartitionSearcher>> searchers,
                                             std::span<const BenchQuery> queries, std::span<const Mode> modes,
                                             std::span<const std::uint32_t> ks) {
  std::vector<CostedQuery> costed;
  for (std::size_t number = 0; number < queries.size(); ++number)
    for (const Mode mode : modes)
      for (const std::uint32_t k : ks) {
        CostedQuery one = FROND_TRY(planned(searchers, queries[number], mode, k));
        if (one.plans.empty()) continue;
        one.number = number;
        costed.push_back(std::move(one));
      }
  if (costed.empty()) return Error(Code::kInvalid, "the collection has all terms of no query");
  return costed;
}

Result<void> measure_cpu(leaf::engine::QueryEngine& engine, std::span<CostedQuery> queries, std::uint32_t rounds) {
  const SteadyClock clock;
  for (CostedQuery& query : queries) query.cpu_us = std::numeric_limits<double>::max();
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (CostedQuery& query : queries) {
      leaf::engine::SharedFloor floor;  // of the partitions of one search, as in a leaf
      for (Plan& plan : query.plans) plan.floor = &floor;
      const Instant start = clock.now();
      for (const Plan& plan : query.plans) {
        auto found = engine.search(std::span(&plan, 1), clock);
        const auto outcome = FROND_TRY(std::move(found[0]));
        if (outcome.hits.size() == plan.k) floor.raise(outcome.hits.back().score);
      }
      const std::chrono::duration<double, std::micro> took = clock.now() - start;
      query.cpu_us = std::clamp(took.count(), 0.05, query.cpu_us);
      for (Plan& plan : query.plans) plan.floor = nullptr;
    }
  return {};
}

TrainedModel train(std::span<const CostedQuery> queries, const BatchCosts* batches, const CostModel& base,
                   std::size_t max_trees) {
  TrainedModel trained{base, {}, {}};
  if (batches != nullptr) {
    trained.model.launch_us = static_cast<float>(batches->launch_us);
    trained.model.scales = batches->scales;
  }
  for (const Processor processor : {Processor::kCpu, Processor::kGpu})
    for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
      const auto p = static_cast<std::size_t>(processor), m = static_cast<std::size_t>(mode);
      const auto cost_of = [&](const CostedQuery& query) {
        return processor == Processor::kCpu ? query.cpu_us : query.gpu_us;
      };
      std::vector<CostSample> samples;
      for (const CostedQuery& query : queries)
        if (query.features.mode == mode && !is_held_out(query) && cost_of(query) > 0)
          samples.push_back({cost_inputs(query.features), cost_of(query)});
      if (samples.empty()) continue;
      trained.model.regressions[p][m] = fit_costs(samples, max_trees);
      std::vector<double> predicted, measured, by_base;
      for (const CostedQuery& query : queries)
        if (query.features.mode == mode && is_held_out(query) && cost_of(query) > 0) {
          predicted.push_back(trained.model.microseconds(processor, mode, cost_inputs(query.features)));
          by_base.push_back(base.microseconds(processor, mode, cost_inputs(query.features)));
          measured.push_back(cost_of(query));
        }
      trained.held_out[p][m] = errors_of(predicted, measured);
      trained.base[p][m] = errors_of(by_base, measured);
    }
  return trained;
}

// The part of cost_measurement.h that measures batches on the GPU.
namespace {

using leaf::engine::Plan;
using leaf::schedule::CostModel;

constexpr std::size_t kUsualBatch = 64;
constexpr std::size_t kBatchSizes[] = {1, 2, 4, 8, 16, 32, kUsualBatch, 128, 256, 512};
constexpr std::size_t kMinBatches = 12;  // of each size
constexpr std::size_t kMaxQueriesOfASize = 4096;

Result<double> time_once(leaf::engine::QueryEngine& engine, std::span<const Plan> plans) {
  const SteadyClock clock;
  const Instant start = clock.now();
  auto found = engine.search(plans, clock);
  const double us = 1e6 * seconds_since(start);
  for (auto& one : found) FROND_TRY(std::move(one));
  return us;
}

// The best of `rounds`.
Result<double> time_best(leaf::engine::QueryEngine& engine, std::span<const Plan> plans, std::uint32_t rounds) {
  double best = FROND_TRY(time_once(engine, plans));
  for (std::uint32_t round = 1; round < rounds; ++round) best = std::min(best, FROND_TRY(time_once(engine, plans)));
  return best;
}

// Batches of queries drawn at random.
struct MixedBatch {
  std::vector<Plan> plans;
  double work_us = 0;  // of its queries, as they were measured
};
std::vector<MixedBatch> mixed_batches(std::span<const CostedQuery* const> queries, std::size_t size,
                                      synth::Random& random) {
  std::vector<MixedBatch> batches(std::clamp(kMaxQueriesOfASize / size, kMinBatches, std::size_t{256}));
  for (MixedBatch& batch : batches)
    for (std::size_t i = 0; i < size; ++i) {
      const CostedQuery& query = *queries[random.below(static_cast<std::uint32_t>(queries.size()))];
      batch.plans.insert(batch.plans.end(), query.plans.begin(), query.plans.end());
      batch.work_us += query.gpu_us;
    }
  return batches;
}

// How long the device takes for the batches, by the work of their queries, when `callers` threads keep it busy.
Result<double> scale_when_busy(leaf::engine::QueryEngine& engine, std::span<const MixedBatch> batches,
                               std::uint32_t callers) {
  const Instant start = std::chrono::steady_clock::now();
  FROND_TRY(frond::in_parallel(batches.size(), callers, [&](std::size_t i) -> Result<void> {
    auto took = time_once(engine, batches[i].plans);
    return took ? Result<void>() : std::move(took).error();
  }));
  const double us = 1e6 * seconds_since(start);
  double work = 0;
  for (const MixedBatch& batch : batches) work += batch.work_us;
  return us / work;
}

}  // namespace

Result<BatchCosts> measure_gpu(BenchGpu& gpu, std::span<CostedQuery> queries, std::uint32_t callers,
                               std::uint32_t rounds, std::size_t max_batch) {
  leaf::engine::QueryEngine& engine = gpu.engine();
  for (CostedQuery& query : queries) FROND_TRY(time_once(engine, query.plans));  // copies the lists
  std::vector<const CostedQuery*> answered;
  for (CostedQuery& query : queries) {
    const std::uint64_t fallbacks = gpu.counters().fallbacks;
    query.alone_us = FROND_TRY(time_best(engine, query.plans, rounds));
    std::vector<Plan> copies;
    for (std::size_t i = 0; i < kUsualBatch; ++i) copies.insert(copies.end(), query.plans.begin(), query.plans.end());
    const double all = FROND_TRY(time_best(engine, copies, rounds));
    query.gpu_us = std::max(0.05, (all - query.alone_us) / static_cast<double>(kUsualBatch - 1));
    if (gpu.counters().fallbacks == fallbacks)
      answered.push_back(&query);
    else
      query.gpu_us = query.alone_us = 0;
  }
  const auto left_to_cpu = queries.size() - answered.size();
  if (gpu.counters().refused > 0 || left_to_cpu > queries.size() / 10)
    return Error(Code::kDevice,
                 fmt::format("{} lists were refused by the device, which holds {} bytes of them, and {} of {} queries "
                             "were left to the CPU",
                             gpu.counters().refused, gpu.counters().held_bytes, left_to_cpu, queries.size()));
  BatchCosts costs;
  synth::Random random(1);
  std::vector<std::vector<MixedBatch>> batches;
  std::vector<double> scales;
  for (const std::size_t size : kBatchSizes) {
    if (size > std::max(max_batch, kUsualBatch)) break;
    batches.push_back(mixed_batches(answered, size, random));
    scales.push_back(FROND_TRY(scale_when_busy(engine, batches.back(), callers)));
  }
  // In the model a batch of the usual size has the scale 1.
  const double usual = scales[static_cast<std::size_t>(
      std::find(std::begin(kBatchSizes), std::end(kBatchSizes), kUsualBatch) - std::begin(kBatchSizes))];
  for (CostedQuery& query : queries) query.gpu_us *= usual;
  for (std::size_t i = 0; i < scales.size(); ++i)
    costs.scales.push_back(
        {static_cast<std::uint32_t>(kBatchSizes[i]), static_cast<float>(std::clamp(scales[i] / usual, 1e-3, 1e3))});
  std::vector<double> launches;
  launches.reserve(answered.size());
  for (const CostedQuery* const query : answered)
    launches.push_back(
        std::max(0.0, query->alone_us - query->gpu_us * static_cast<double>(costs.scales.front().scale)));
  std::nth_element(launches.begin(), launches.begin() + static_cast<std::ptrdiff_t>(launches.size() / 2),
                   launches.end());
  costs.launch_us = launches[launches.size() / 2];
  // How well the parts add up: batches one at a time.
  std::vector<double> predicted, measured;
  CostModel model;
  model.scales = costs.scales;
  for (std::size_t i = 0; i < batches.size(); ++i)
    for (std::size_t b = 0; b < std::min(batches[i].size(), kMinBatches); ++b) {
      measured.push_back(FROND_TRY(time_best(engine, batches[i][b].plans, rounds)));
      predicted.push_back(costs.launch_us + batches[i][b].work_us * usual * model.scale_of(kBatchSizes[i]));
    }
  costs.batches = errors_of(predicted, measured);
  return costs;
}

}  // namespace frond::tools::bench
