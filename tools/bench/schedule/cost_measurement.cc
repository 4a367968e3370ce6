#include "tools/bench/schedule/cost_measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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

}  // namespace frond::tools::bench
