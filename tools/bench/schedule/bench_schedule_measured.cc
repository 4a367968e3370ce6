// `frond bench schedule --train`: measures an index, and trains a cost model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "leaf/engines.h"
#include "leaf/schedule/cost_model.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/schedule/bench_schedule.h"
#include "tools/bench/schedule/cost_measurement.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {
namespace {

using leaf::schedule::CostModel, leaf::schedule::Processor;
using nlohmann::ordered_json;

ordered_json as_json(const RelativeErrors& errors) {
  return {{"count", errors.count},
          {"mean", errors.mean},
          {"median", errors.median},
          {"p90", errors.p90},
          {"predicted_by_measured", errors.bias}};
}

void print_errors(std::string_view what, const RelativeErrors& errors) {
  if (errors.count > 0)
    fmt::print(
        "{:10} {:>6} held out: mean {:>5.1f} %, median {:>5.1f} %, p90 {:>5.1f} %; predicted by measured {:.2f}\n",
        what, errors.count, 100 * errors.mean, 100 * errors.median, 100 * errors.p90, errors.bias);
}

void report(const BenchScheduleFlags& flags, const TrainedModel& trained, const BatchCosts* batches,
            std::size_t queries) {
  constexpr std::string_view kNames[2][2] = {{"cpu and", "cpu or"}, {"gpu and", "gpu or"}};
  ordered_json rows;
  for (std::size_t p = 0; p < leaf::schedule::kProcessors; ++p)
    for (std::size_t m = 0; m < leaf::schedule::kModes; ++m) {
      if (flags.json) {
        rows[std::string(kNames[p][m])] = {{"trained", as_json(trained.held_out[p][m])},
                                           {"base", as_json(trained.base[p][m])}};
      } else {
        print_errors(kNames[p][m], trained.held_out[p][m]);
        print_errors("  base", trained.base[p][m]);
      }
    }
  if (batches != nullptr) {
    if (flags.json) {
      rows["batches"] = as_json(batches->batches);
    } else {
      print_errors("batches", batches->batches);
      fmt::print("a launch takes {:.1f} us; what a query adds, by that in a batch of 64:", batches->launch_us);
      for (const auto& scale : batches->scales) fmt::print(" {}: {:.2f}", scale.queries, scale.scale);
      fmt::print("\n");
    }
  }
  if (flags.json) fmt::print("{}\n", ordered_json{{"costs", queries}, {"errors", rows}}.dump());
}

// An index with its engines, and what its queries cost.
struct Measured {
  std::unique_ptr<leaf::engine::QueryEngine> cpu;
  std::unique_ptr<BenchGpu> gpu;  // null: not measured
  std::vector<std::unique_ptr<PartitionSearcher>> searchers;
  std::string description;  // of the collections
  std::size_t read = 0;     // queries
  std::vector<CostedQuery> queries;
  std::optional<BatchCosts> batches;
  TrainedModel trained;
};

// Opens a collection, and plans its queries.
Result<void> add_collection(Measured& measured, const BenchScheduleFlags& flags, std::size_t which) {
  auto searchers = FROND_TRY(open_partitions({.repository = flags.repository,
                                              .collection = flags.collections[which],
                                              .number = measured.searchers.size() + 1}));
  auto read = FROND_TRY(read_queries(flags.queries[flags.queries.size() == 1 ? 0 : which], {},
                                     searchers.front()->analyzer(), searchers.front()->query_form()));
  if (flags.limit > 0 && read.size() > flags.limit) read.resize(flags.limit);
  measured.read += read.size();
  constexpr leaf::engine::Mode kModes[] = {leaf::engine::Mode::kAnd, leaf::engine::Mode::kOr};
  auto planned = FROND_TRY(plan_costed(searchers, read, kModes, flags.ks));
  if (!flags.json)
    fmt::print("{}; {} partitions\n{} queries, {} costs: modes and, or; {} values of k\n",
               searchers.front()->description(), searchers.size(), read.size(), planned.size(), flags.ks.size());
  measured.description +=
      fmt::format("{}{}; {} partitions", which == 0 ? "" : "; ", searchers.front()->description(), searchers.size());
  std::move(planned.begin(), planned.end(), std::back_inserter(measured.queries));
  std::move(searchers.begin(), searchers.end(), std::back_inserter(measured.searchers));
  return {};
}

Result<Measured> measure(const BenchScheduleFlags& flags) {
  if (flags.repository.empty() || flags.collections.empty() || flags.queries.empty())
    return Error(Code::kInvalid, "--train needs --repository, --collection and --queries");
  if (flags.queries.size() != 1 && flags.queries.size() != flags.collections.size())
    return Error(Code::kInvalid, "--queries: one file for all collections, or one for each");
  Measured measured;
  measured.cpu = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  if (flags.processor != "cpu") measured.gpu = FROND_TRY(make_bench_gpu(flags.gpu, *measured.cpu));
  for (std::size_t i = 0; i < flags.collections.size(); ++i) FROND_TRY(add_collection(measured, flags, i));
  if (flags.processor != "gpu") FROND_TRY(measure_cpu(*measured.cpu, measured.queries, flags.rounds));
  if (measured.gpu != nullptr)
    measured.batches = FROND_TRY(measure_gpu(*measured.gpu, measured.queries, flags.callers, flags.rounds));
  measured.trained = train(measured.queries, measured.batches ? &*measured.batches : nullptr,
                           leaf::schedule::default_cost_model(), flags.trees);
  return measured;
}

}  // namespace

Result<void> train_schedule(const BenchScheduleFlags& flags) {
  const Measured measured = FROND_TRY(measure(flags));
  const TrainedModel& trained = measured.trained;
  report(flags, trained, measured.batches ? &*measured.batches : nullptr, measured.queries.size());
  const std::string trained_on =
      fmt::format("trained on {}; {} queries; measured: {}", measured.description, measured.read, flags.processor);
  if (!flags.model.empty()) FROND_TRY(write_text(flags.model, cost_model_text(trained.model, trained_on)));
  return {};
}

}  // namespace frond::tools::bench
