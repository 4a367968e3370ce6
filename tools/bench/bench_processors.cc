#include "tools/bench/bench_processors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/base/check.h"

namespace frond::tools::bench {
namespace {

using nlohmann::ordered_json;

// Ding 2009, Table 2: milliseconds per query, TREC GOV2, k = 10, one core of a Core 2 Duo and a GeForce 8800 GTS.
struct PaperTimes {
  BenchMode mode;
  double cpu_ms, gpu_ms;
};
constexpr std::array kDing = {PaperTimes{BenchMode::kAnd, 8.71, 7.66}, PaperTimes{BenchMode::kOr, 212.72, 29.31},
                              PaperTimes{BenchMode::kAuto, 23.85, 9.98}};
constexpr std::size_t kMinQueries = 16;  // min queries in a range of postings that gets a row
constexpr std::uint32_t kAloneQueries = 500;

// Prints or collects the rows of the processors.
class Table {
 public:
  explicit Table(bool json) : json_(json) {}
  void say(const std::string& line) const {
    if (json_) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  void add(ordered_json row, const std::string& line) {
    say(line);
    rows_.push_back(std::move(row));
  }
  const ordered_json& rows() const { return rows_; }

 private:
  const bool json_;
  ordered_json rows_ = ordered_json::array();
};

class ProcessorMeasurement {
 public:
  ProcessorMeasurement(const ProcessorBench& options, const Processors& processors, Table& table)
      : options_(options), cpu_(processors.cpu), gpu_(processors.gpu), table_(table) {}

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
    std::string held = fmt::format("{} bytes of lists on the device", after.held_bytes);
    if (after.plain_forms > 0) held += fmt::format(", {} of them {} plain forms", after.plain_bytes, after.plain_forms);
    table_.say(fmt::format("{:4} all {} queries have the same answer {}; {}", name_of(mode), queries.size(),
                           cpu_ ? "on both" : "alone and in batches", held));
    return {};
  }

  Result<void> alone(std::string_view processor, leaf::engine::QueryEngine& engine, BenchMode mode, std::uint32_t k,
                     std::span<const PlannedQuery> queries) {
    const auto us = FROND_TRY(
        time_alone(engine, mode, queries.first(std::min<std::size_t>(queries.size(), kAloneQueries)), options_.rounds));
    table_.add({{"processor", processor},
                {"mode", name_of(mode)},
                {"k", k},
                {"alone_us", {{"mean", us.mean}, {"median", us.median}, {"p95", us.p95}, {"p99", us.p99}}}},
               fmt::format("{:4} {:4} k {:<5} alone, us: mean {:.1f}, median {:.1f}, p95 {:.1f}, p99 {:.1f}{}",
                           processor, name_of(mode), k, us.mean, us.median, us.p95, us.p99, paper(processor, mode, k)));
    return {};
  }

  Result<void> rate(std::string_view processor, leaf::engine::QueryEngine& engine, BenchMode mode, std::uint32_t k,
                    std::span<const PlannedQuery> queries, std::size_t batch, std::uint32_t callers) {
    const bool steps = options_.steps && processor == "gpu";
    const auto before = steps ? gpu_->steps() : std::vector<BenchGpu::Step>();
    const Spread rate = FROND_TRY(time_batches(engine, mode, queries, timing(batch, callers, options_.seconds)));
    ordered_json row{{"processor", processor},
                     {"mode", name_of(mode)},
                     {"k", k},
                     {"batch", batch},
                     {"callers", callers},
                     {"queries_per_second", {{"least", rate.min}, {"median", rate.median}, {"most", rate.max}}}};
    std::string line = fmt::format("{:4} {:4} k {:<5} batch {:<5} {:>3} callers {:>10.0f} queries/s ({:.0f} .. {:.0f})",
                                   processor, name_of(mode), k, batch, callers, rate.median, rate.min, rate.max);
    if (steps) add_steps(before, gpu_->steps(), mode, row, line);
    table_.add(std::move(row), line);
    return {};
  }

  // Adds the share of each step in the time spent since `before`.
  void add_steps(std::span<const BenchGpu::Step> before, std::span<const BenchGpu::Step> after, BenchMode mode,
                 ordered_json& row, std::string& line) const {
    double all = 0;
    for (std::size_t i = 0; i < after.size(); ++i) all += after[i].microseconds - before[i].microseconds;
    line += "; of the time, %:";
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double share = all > 0 ? 100 * (after[i].microseconds - before[i].microseconds) / all : 0;
      row["steps_percent"][std::string(after[i].name)] = share;
      line += fmt::format(" {} {:.0f}", after[i].name, share);
    }
    if (!options_.ranked) return;
    if (mode == BenchMode::kAnd)
      line += "  (Ding 2009, Table 3: decompression 47, intersection 45, scoring and top-k 8)";
    if (mode == BenchMode::kOr)
      line += "  (Ding 2009, Table 3: initialization 9, decompression 30, scoring 48, top-k 13)";
  }

  // Measures queries grouped by the postings of their lists, with three groups per power of ten.
  Result<void> by_postings(BenchMode mode, std::uint32_t k, std::span<const PlannedQuery> queries) {
    std::string header =
        fmt::format("{:4} by postings a query: queries/s of {} CPU threads; of the GPU, {} callers, in batches of",
                    name_of(mode), options_.threads, options_.callers);
    for (const std::size_t batch : options_.batches) header += fmt::format(" {}", batch);
    table_.say(header + "; us alone: CPU, GPU");
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
    ordered_json gpu = ordered_json::array();
    std::string line = fmt::format("{:>12} .. {:>12} postings, {:>5} queries: CPU {:>9.0f}; GPU",
                                   queries.front().postings, queries.back().postings, queries.size(), cpu.median);
    for (const std::size_t batch : options_.batches) {
      const Spread rate =
          FROND_TRY(time_batches(gpu_->engine(), mode, queries, timing(batch, options_.callers, seconds)));
      gpu.push_back({{"batch", batch}, {"queries_per_second", rate.median}});
      line += fmt::format(" {:>9.0f}{}", rate.median, rate.median > cpu.median ? '*' : ' ');
    }
    table_.add({{"mode", name_of(mode)},
                {"k", k},
                {"least_postings", queries.front().postings},
                {"most_postings", queries.back().postings},
                {"queries", queries.size()},
                {"cpu_queries_per_second", cpu.median},
                {"cpu_alone_us", cpu_alone.mean},
                {"gpu_alone_us", gpu_alone.mean},
                {"gpu", gpu}},
               line + fmt::format("; alone {:.1f} {:.1f}{}", cpu_alone.mean, gpu_alone.mean,
                                  gpu_alone.mean < cpu_alone.mean ? "*" : ""));
    return {};
  }

  BatchTiming timing(std::size_t batch, std::uint32_t callers, double seconds) const {
    return {.batch = batch, .callers = callers, .rounds = options_.rounds, .seconds = seconds};
  }
  std::string paper(std::string_view processor, BenchMode mode, std::uint32_t k) const {
    if (k != 10 || !options_.ranked) return {};
    for (const auto& ding : kDing)
      if (ding.mode == mode)
        return fmt::format("  (Ding 2009, Table 2: {:.0f})", 1000 * (processor == "gpu" ? ding.gpu_ms : ding.cpu_ms));
    return {};
  }

  const ProcessorBench& options_;
  leaf::engine::QueryEngine* const cpu_;  // null: not measured
  BenchGpu* const gpu_;                   // null: not measured
  Table& table_;
};

}  // namespace

std::string_view name_of(BenchMode mode) {
  constexpr std::array<std::string_view, 3> kNames = {"and", "or", "auto"};
  return kNames[static_cast<std::size_t>(mode)];
}

Result<void> bench_processors(PartitionSearcher& searcher, std::span<const BenchQuery> queries,
                              const ProcessorBench& options, const Processors& processors) {
  FROND_CHECK(processors.cpu || processors.gpu);
  Table table(options.json);
  table.say(searcher.description());
  ProcessorMeasurement bench(options, processors, table);
  double postings = 0;
  std::size_t count = 0;
  for (const std::uint32_t k : options.ks) {
    const auto planned = FROND_TRY(plan_queries(searcher, queries, k, options.ranked));
    count = planned.size();
    postings = 0;
    for (const auto& query : planned) postings += static_cast<double>(query.postings) / static_cast<double>(count);
    table.say(fmt::format("{} queries of {:.0f} postings, k = {}{}; median (least .. most) of {} rounds", count,
                          postings, k, options.ranked ? "" : ", not ranked, all matches counted", options.rounds));
    for (const BenchMode mode : options.modes) FROND_TRY(bench.run(mode, k, planned));
  }
  if (options.json) {
    const ordered_json out{{"partition", searcher.description()},
                           {"queries", count},
                           {"postings_a_query", postings},
                           {"ranked", options.ranked},
                           {"rounds", options.rounds},
                           {"gpu_list_bytes", processors.gpu ? processors.gpu->counters().held_bytes : 0},
                           {"gpu_plain_bytes", processors.gpu ? processors.gpu->counters().plain_bytes : 0},
                           {"rows", table.rows()}};
    fmt::print("{}\n", out.dump());
  }
  return {};
}

}  // namespace frond::tools::bench
