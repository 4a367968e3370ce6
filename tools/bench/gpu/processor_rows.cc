#include "tools/bench/gpu/processor_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/check.h"

namespace frond::tools::bench {
namespace {

constexpr std::size_t kMinQueries = 16;  // min queries in a range of postings that gets a row
constexpr std::uint32_t kAloneQueries = 500;

class ProcessorMeasurement {
 public:
  ProcessorMeasurement(const ProcessorOptions& options, const Processors& processors, const ProcessorObserver& observer)
      : options_(options), cpu_(processors.cpu), gpu_(processors.gpu), observer_(observer) {}

  void say(const std::string& line) const {
    if (observer_.say) observer_.say(line);
  }

  Result<void> run(BenchMode mode, std::uint32_t k, std::span<const PlannedQuery> queries) {
    if (gpu_) {
      FROND_TRY(settle(mode, queries));
      FROND_TRY(alone("gpu", gpu_->engine(), mode, k, queries));
      for (const std::size_t batch : options_.batches)
        FROND_TRY(rate("gpu", gpu_->engine(), mode, k, queries, batch, options_.callers));
    }
    if (cpu_) {
      FROND_TRY(alone("cpu", *cpu_, mode, k, queries.first(std::min<std::size_t>(queries.size(), 100))));
      FROND_TRY(rate("cpu", *cpu_, mode, k, queries, 1, options_.threads));
    }
    if (gpu_ && cpu_ && options_.break_even) FROND_TRY(by_postings(mode, k, queries));
    return {};
  }

 private:
  void add(const ProcessorRow& row) const {
    if (observer_.row) observer_.row(row);
  }

  // Copies all lists to the device, and checks that both processors find the same hits.
  Result<void> settle(BenchMode mode, std::span<const PlannedQuery> queries) {
    const auto before = gpu_->counters();
    // Without a CPU to compare with, the device is compared with itself: one by one against batches.
    leaf::engine::QueryEngine& other = cpu_ ? *cpu_ : gpu_->engine();
    const std::size_t differing = FROND_TRY(count_differing(gpu_->engine(), other, mode, queries, options_.threads));
    if (differing > 0)
      return Error(Code::kCorrupt, fmt::format("{}: {} of {} queries have another answer on the GPU", name_of(mode),
                                               differing, queries.size()));
    const auto after = gpu_->counters();
    if (after.refused > 0 || after.fallbacks > before.fallbacks)
      return Error(Code::kDevice,
                   fmt::format("{} lists were refused by the device, which holds {} bytes of them, and {} plans were "
                               "left to the CPU",
                               after.refused, after.held_bytes, after.fallbacks - before.fallbacks));
    say(fmt::format("{:4} all {} queries have the same answer {}; {} bytes of lists on the device", name_of(mode),
                    queries.size(), cpu_ ? "on both" : "alone and in batches", after.held_bytes));
    return {};
  }

  Result<void> alone(std::string_view processor, leaf::engine::QueryEngine& engine, BenchMode mode, std::uint32_t k,
                     std::span<const PlannedQuery> queries) {
    const auto us = FROND_TRY(
        time_alone(engine, mode, queries.first(std::min<std::size_t>(queries.size(), kAloneQueries)), options_.rounds));
    add({.processor = processor, .mode = mode, .k = k, .alone_us = us});
    return {};
  }

  Result<void> rate(std::string_view processor, leaf::engine::QueryEngine& engine, BenchMode mode, std::uint32_t k,
                    std::span<const PlannedQuery> queries, std::size_t batch, std::uint32_t callers) {
    const bool steps = options_.steps && processor == "gpu";
    const auto before = steps ? gpu_->steps() : std::vector<BenchGpu::Step>();
    const Spread rate = FROND_TRY(time_batches(engine, mode, queries, timing(batch, callers, options_.seconds)));
    ProcessorRow row{.processor = processor,
                     .mode = mode,
                     .k = k,
                     .alone_us = {},
                     .batch = batch,
                     .callers = callers,
                     .queries_per_second = rate,
                     .steps = {}};
    if (steps) row.steps = shares_of(before, gpu_->steps());
    add(row);
    return {};
  }

  // The share of each step in the time spent since `before`.
  static std::vector<ProcessorRow::Step> shares_of(std::span<const BenchGpu::Step> before,
                                                   std::span<const BenchGpu::Step> after) {
    double all = 0;
    for (std::size_t i = 0; i < after.size(); ++i) all += after[i].microseconds - before[i].microseconds;
    std::vector<ProcessorRow::Step> shares;
    for (std::size_t i = 0; i < after.size(); ++i)
      shares.push_back({after[i].name, all > 0 ? 100 * (after[i].microseconds - before[i].microseconds) / all : 0});
    return shares;
  }

  // Measures queries grouped by the postings of their lists, with three groups per power of ten.
  Result<void> by_postings(BenchMode mode, std::uint32_t k, std::span<const PlannedQuery> queries) {
    std::string header =
        fmt::format("{:4} by postings a query: queries/s of {} CPU threads; of the GPU, {} callers, in batches of",
                    name_of(mode), options_.threads, options_.callers);
    for (const std::size_t batch : options_.batches) header += fmt::format(" {}", batch);
    say(header + "; us alone: CPU, GPU");
    std::vector<PlannedQuery> sorted(queries.begin(), queries.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.postings < b.postings; });
    const auto range_of = [](const PlannedQuery& query) {
      return std::floor(3 * std::log10(static_cast<double>(query.postings)));
    };
    for (std::size_t begin = 0; begin < sorted.size();) {
      std::size_t end = begin;
      while (end < sorted.size() && range_of(sorted[end]) == range_of(sorted[begin])) ++end;
      if (end - begin >= kMinQueries) FROND_TRY(one_range(mode, k, std::span(sorted).subspan(begin, end - begin)));
      begin = end;
    }
    return {};
  }

  Result<void> one_range(BenchMode mode, std::uint32_t k, std::span<const PlannedQuery> queries) {
    const double seconds = std::min(options_.seconds, 0.1);
    const auto some = queries.first(std::min<std::size_t>(queries.size(), 64));
    const Spread cpu = FROND_TRY(time_batches(*cpu_, mode, queries, timing(1, options_.threads, seconds)));
    const auto cpu_alone = FROND_TRY(time_alone(*cpu_, mode, some, options_.rounds));
    const auto gpu_alone = FROND_TRY(time_alone(gpu_->engine(), mode, some, options_.rounds));
    PostingsRow row{.mode = mode,
                    .k = k,
                    .min_postings = queries.front().postings,
                    .max_postings = queries.back().postings,
                    .queries = queries.size(),
                    .cpu_queries_per_second = cpu.median,
                    .cpu_alone_us = cpu_alone.mean,
                    .gpu_alone_us = gpu_alone.mean,
                    .gpu = {}};
    for (const std::size_t batch : options_.batches) {
      const Spread rate =
          FROND_TRY(time_batches(gpu_->engine(), mode, queries, timing(batch, options_.callers, seconds)));
      row.gpu.push_back({batch, rate.median});
    }
    if (observer_.by_postings) observer_.by_postings(row);
    return {};
  }

  BatchTiming timing(std::size_t batch, std::uint32_t callers, double seconds) const {
    return {.batch = batch, .callers = callers, .rounds = options_.rounds, .seconds = seconds};
  }

  const ProcessorOptions& options_;
  leaf::engine::QueryEngine* const cpu_;  // null: not measured
  BenchGpu* const gpu_;                   // null: not measured
  const ProcessorObserver& observer_;
};

}  // namespace

std::string_view name_of(BenchMode mode) {
  constexpr std::array<std::string_view, 3> kNames = {"and", "or", "auto"};
  return kNames[static_cast<std::size_t>(mode)];
}

Result<ProcessorSummary> measure_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                                            const ProcessorOptions& options, const Processors& processors,
                                            const ProcessorObserver& observer) {
  FROND_CHECK(processors.cpu || processors.gpu);
  ProcessorMeasurement bench(options, processors, observer);
  bench.say(searcher.description());
  ProcessorSummary summary;
  for (const std::uint32_t k : options.ks) {
    const auto planned = FROND_TRY(plan_queries(searcher, queries, k, options.ranked));
    summary = {planned.size(), 0};
    for (const auto& query : planned)
      summary.postings_a_query += static_cast<double>(query.postings) / static_cast<double>(planned.size());
    bench.say(fmt::format("{} queries of {:.0f} postings, k = {}{}; median (least .. most) of {} rounds",
                          summary.queries, summary.postings_a_query, k,
                          options.ranked ? "" : ", not ranked, all matches counted", options.rounds));
    for (const BenchMode mode : options.modes) FROND_TRY(bench.run(mode, k, planned));
  }
  return summary;
}

namespace {

using nlohmann::ordered_json;

void print(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string line_of(const ProcessorRow& row) {
  std::string line = fmt::format("{:4} {:4} k {:<5} ", row.processor, name_of(row.mode), row.k);
  if (const auto& us = row.alone_us)
    return line + fmt::format("alone, us: mean {:.1f}, median {:.1f}, p95 {:.1f}, p99 {:.1f}", us->mean, us->median,
                              us->p95, us->p99);
  const Spread& rate = row.queries_per_second;
  line += fmt::format("batch {:<5} {:>3} callers {:>10.0f} queries/s ({:.0f} .. {:.0f})", row.batch, row.callers,
                      rate.median, rate.min, rate.max);
  if (row.steps.empty()) return line;
  line += "; of the time, %:";
  for (const auto& step : row.steps) line += fmt::format(" {} {:.0f}", step.name, step.percent);
  return line;
}

ordered_json as_json(const ProcessorRow& row) {
  ordered_json out{{"processor", row.processor}, {"mode", name_of(row.mode)}, {"k", row.k}};
  if (const auto& us = row.alone_us) {
    out["alone_us"] = as_json(*us);
    return out;
  }
  out["batch"] = row.batch;
  out["callers"] = row.callers;
  out["queries_per_second"] = as_json(row.queries_per_second);
  for (const auto& step : row.steps) out["steps_percent"][std::string(step.name)] = step.percent;
  return out;
}

std::string line_of(const PostingsRow& row) {
  std::string line = fmt::format("{:>12} .. {:>12} postings, {:>5} queries: CPU {:>9.0f}; GPU", row.min_postings,
                                 row.max_postings, row.queries, row.cpu_queries_per_second);
  for (const auto& [batch, rate] : row.gpu)
    line += fmt::format(" {:>9.0f}{}", rate, rate > row.cpu_queries_per_second ? '*' : ' ');
  return line + fmt::format("; alone {:.1f} {:.1f}{}", row.cpu_alone_us, row.gpu_alone_us,
                            row.gpu_alone_us < row.cpu_alone_us ? "*" : "");
}

ordered_json as_json(const PostingsRow& row) {
  ordered_json gpu = ordered_json::array();
  for (const auto& [batch, rate] : row.gpu) gpu.push_back({{"batch", batch}, {"queries_per_second", rate}});
  return {{"mode", name_of(row.mode)},
          {"k", row.k},
          {"least_postings", row.min_postings},
          {"most_postings", row.max_postings},
          {"queries", row.queries},
          {"cpu_queries_per_second", row.cpu_queries_per_second},
          {"cpu_alone_us", row.cpu_alone_us},
          {"gpu_alone_us", row.gpu_alone_us},
          {"gpu", gpu}};
}

}  // namespace

Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorOptions& options, const Processors& processors, bool json) {
  auto rows = ordered_json::array();
  ProcessorObserver observer;
  if (json)
    observer = {.say = {},
                .row = [&](const ProcessorRow& row) { rows.push_back(as_json(row)); },
                .by_postings = [&](const PostingsRow& row) { rows.push_back(as_json(row)); }};
  else
    observer = {.say = print,
                .row = [&](const ProcessorRow& row) { print(line_of(row)); },
                .by_postings = [](const PostingsRow& row) { print(line_of(row)); }};
  const auto summary = FROND_TRY(measure_processors(searcher, queries, options, processors, observer));
  if (!json) return {};
  const ordered_json out{{"partition", searcher.description()},
                         {"queries", summary.queries},
                         {"postings_a_query", summary.postings_a_query},
                         {"ranked", options.ranked},
                         {"rounds", options.rounds},
                         {"gpu_list_bytes", processors.gpu ? processors.gpu->counters().held_bytes : 0},
                         {"rows", rows}};
  fmt::print("{}\n", out.dump());
  return {};
}

}  // namespace frond::tools::bench
