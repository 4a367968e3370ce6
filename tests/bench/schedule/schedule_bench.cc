// What the scheduler itself takes of each query: predicting its costs, correcting the prediction, and the queues from
// add() to the end of the query, at several numbers of waiting jobs. One thread; half of the jobs are taken by workers,
// half by batches of 32.
#include <chrono>
#include <cstdio>
#include <vector>

#include "leaf/schedule/cost_model.h"
#include "leaf/schedule/query_queues.h"
#include "tools/bench/measure.h"
#include "tools/bench/schedule/schedule_simulation.h"

namespace frond::leaf::schedule {
namespace {

using std::chrono::microseconds;
constexpr std::size_t kRounds = 2'000'000;

// CPU time, so that what else the machine does counts less.
double nanoseconds_since(std::uint64_t start, std::size_t count) {
  return static_cast<double>(tools::bench::thread_nanoseconds() - start) / static_cast<double>(count);
}

void bench_predictor(const CostModel& model) {
  const CostPredictor predictor(model);
  CostPredictor observed(model);
  double sum = 0;
  auto start = tools::bench::thread_nanoseconds();
  for (std::size_t i = 0; i < kRounds; ++i) {
    QueryFeatures features{.documents = 1'000'000};
    features.add_list(i + 1, i / 128 + 1);
    features.add_list(3 * i + 1, 3 * i / 128 + 1);
    features.add_list(700, 6);
    const auto costs = predictor.predict(features);
    sum += costs.cpu.us + costs.gpu.us;
  }
  std::printf("predict both costs of 3 terms          %6.1f ns (sum %.3g)\n", nanoseconds_since(start, kRounds), sum);
  QueryFeatures features{.documents = 1'000'000};
  features.add_list(5000, 40);
  const auto costs = observed.predict(features);
  start = tools::bench::thread_nanoseconds();
  for (std::size_t i = 0; i < kRounds; ++i) observed.observe(costs.cpu, 0.5 + static_cast<double>(i % 16) / 16);
  std::printf("observe                                %6.1f ns\n", nanoseconds_since(start, kRounds));
}

void bench_queues(std::size_t waiting) {
  const auto queries = tools::bench::synthetic_queries(4096, {}, 1);
  QueryQueues queues({.workers = 16, .streams = 3, .max_waiting = 16384, .max_batch = 32});
  std::vector<QueryJob> jobs(waiting + 64);
  std::vector<QueryJob*> idle, batch(32);
  for (auto& job : jobs) idle.push_back(&job);
  Instant now(std::chrono::seconds(1));
  std::size_t added = 0, taken = 0;
  const auto fill = [&] {
    while (queues.waiting() < waiting) {
      QueryJob& job = *idle.back();
      idle.pop_back();
      const auto& query = queries[added++ % queries.size()];
      job.cpu_us = query.predicted_cpu_us;
      job.gpu_us = query.predicted_gpu_us;
      job.deadline = Deadline::at(now + std::chrono::seconds(100));
      job.client = {static_cast<std::uint32_t>(added % 7)};
      if (queues.add(job, now).admitted != QueryQueues::Admitted::kYes) std::abort();
      now += std::chrono::nanoseconds(500);
      if (queues.wanted(now).cpu && queues.waiting() == 0) std::abort();
    }
  };
  fill();
  const auto start = tools::bench::thread_nanoseconds();
  while (taken < kRounds / 4) {
    const auto taken_now = queues.next_batch(batch, now);
    for (std::size_t i = 0; i < taken_now.jobs; ++i) idle.push_back(batch[i]);
    if (taken_now.jobs > 0) queues.batch_done(taken_now.stream, now);
    taken += taken_now.jobs;
    for (std::size_t i = 0; i < taken_now.jobs + 1; ++i) {
      auto* job = queues.next_for_cpu(now);
      if (job == nullptr) break;
      queues.cpu_done(*job);
      idle.push_back(job);
      ++taken;
    }
    fill();
  }
  std::printf("queues, add to end, %6zu jobs waiting %6.1f ns\n", waiting, nanoseconds_since(start, taken));
}

}  // namespace
}  // namespace frond::leaf::schedule

// schedule_bench [MODEL]: the cost model to predict with, else the default.
int main(int argc, char** argv) {
  using namespace frond::leaf::schedule;
  const auto model = argc > 1 ? read_cost_model(argv[1]) : frond::Result<CostModel>(default_cost_model());
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().message().c_str());
    return 1;
  }
  bench_predictor(*model);
  for (const std::size_t waiting : {1, 16, 256, 4096, 16000}) bench_queues(waiting);
}
