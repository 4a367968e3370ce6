#pragma once
// Tasks, and what keeps a worker busy.
#include <cstddef>
#include <functional>
#include <latch>
#include <vector>

#include "leaf/schedule/worker_pool.h"
#include "tests/support/collections/manual_clock.h"

namespace frond::leaf::schedule {

using support::ManualClock;
using Waited = Result<std::chrono::microseconds>;

inline std::vector<Task> tasks_of(std::size_t count, const std::function<void(Waited)>& run,
                                  Deadline deadline = Deadline::never()) {
  std::vector<Task> tasks(count);
  for (auto& task : tasks) task = {deadline, run};
  return tasks;
}

// Keeps a worker busy until the test opens it.
class Gate {
 public:
  std::vector<Task> task() {
    return tasks_of(1, [this](const Waited&) {
      entered_.count_down();
      open_.wait();
    });
  }
  void wait_until_entered() { entered_.wait(); }
  void open() { open_.count_down(); }

 private:
  std::latch entered_{1}, open_{1};
};

}  // namespace frond::leaf::schedule
