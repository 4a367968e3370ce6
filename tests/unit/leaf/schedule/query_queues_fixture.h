#pragma once
// Queues of one worker and one stream, with a clock that the test moves.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "leaf/schedule/query_queues.h"

namespace frond::leaf::schedule {

using std::chrono::microseconds, std::chrono::milliseconds;
using Queue = QueryJob::Queue;
using TakenAs = QueryJob::TakenAs;
using Admitted = QueryQueues::Admitted;

class QueriesInQueues : public testing::Test {
 protected:
  // One worker and one stream; a launch takes 50 us.
  QueryQueues make(std::uint32_t workers = 1, std::uint32_t streams = 1, std::size_t max_waiting = 100) {
    return QueryQueues({.workers = workers,
                        .streams = streams,
                        .max_waiting = max_waiting,
                        .max_batch = 8,
                        .max_batch_work = microseconds(1000),
                        .launch = microseconds(50)});
  }
  QueryJob& job(double cpu_us, double gpu_us, microseconds deadline = microseconds(500'000), std::uint32_t client = 0) {
    QueryJob& made = jobs_.emplace_back();
    made.cpu_us = cpu_us;
    made.gpu_us = gpu_us;
    made.deadline = Deadline::at(now_ + deadline);
    made.client = {client};
    return made;
  }
  QueryJob& cpu_job(double cpu_us, microseconds deadline = microseconds(500'000)) {
    QueryJob& made = job(cpu_us, 1, deadline);
    made.for_gpu = false;
    return made;
  }
  std::vector<QueryJob*> batch(QueryQueues& queues) {
    std::vector<QueryJob*> jobs(8);
    const auto taken = queues.next_batch(jobs, now_);
    jobs.resize(taken.jobs);
    stream_ = taken.stream;
    return jobs;
  }
  void pass(microseconds span) { now_ += span; }

  Instant now_ = Instant(std::chrono::seconds(1));
  std::uint32_t stream_ = 0;
  std::deque<QueryJob> jobs_;
};

}  // namespace frond::leaf::schedule
