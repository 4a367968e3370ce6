#pragma once
// Seam: where tasks wait and which threads run them. A task is a query, a share of its partitions, or a part of a fetch
// of documents. Tasks that are submitted together are admitted together or not at all, so an overloaded leaf refuses a
// request before any of it is done.
//
// Implementations: worker_pool.h (threads and a bounded queue), tests/support/inline_scheduler.h. Both pass
// tests/contract/scheduler.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/schedule/client_times.h"

namespace frond::leaf::schedule {

struct Task {
  // A task that is past its deadline, or cancelled, before it starts is dropped: run() gets kDeadline.
  Deadline deadline = Deadline::never();
  // Called once, on a worker: with the time it waited, or with kDeadline if it was dropped. Handles its own failures;
  // an exception that it throws is discarded.
  std::function<void(Result<std::chrono::microseconds> waited)> run;
  // Estimated postings that the task reads; 0: few, or unknown. Lighter searches of a client run first, except that now
  // and then the one that has waited longest runs.
  std::uint64_t weight = 0;
  Client client = {};  // of a search: clients share the workers by their weights
};

enum class Lane {
  kSearch,      // by clients, then by weight, then by arrival; bounded
  kContinue,    // the next step of work that was admitted before: runs before kSearch and is never refused, not even
                // while draining
  kLast,        // also work that was admitted before: runs behind every search that waits, but like these is the next
                // when it has waited longest at the turn of the oldest; never refused
  kInteractive  // short: documents of an answer; runs before the others, with a queue bound of its own
};

class Scheduler {
 public:
  struct Load {
    std::size_t waiting = 0, limit = 0, workers = 0, running = 0;
  };
  virtual ~Scheduler() = default;
  // Admits all tasks or none; moves from them if it admits them. kOverloaded: the queue is full, or has as many
  // searches of the client as one may have; kUnavailable: drain() was called. A group larger than the queue is admitted
  // if nothing waits. Any thread; tasks may submit while they run.
  virtual Result<void> admit(std::span<Task> tasks, Lane lane) = 0;
  Result<void> submit(std::vector<Task> tasks, Lane lane) { return admit(tasks, lane); }
  Result<void> submit_one(Task task, Lane lane) { return admit(std::span(&task, 1), lane); }
  // Runs the task on the caller's thread, which is not one of a task, as one that has not waited. False: it has not
  // run, because a search waits whose turn comes before, or drain() was called; submit it. A scheduler may always say
  // no.
  virtual bool run_here(Task& /*task*/) { return false; }
  // Refuses new work, and returns when all admitted tasks, and those that they continued with, have run. Tasks must not
  // call it.
  virtual void drain() = 0;
  virtual Load load() const = 0;
  // Whether the caller is a task of this scheduler. Such a caller may do a short next step itself instead of submitting
  // it.
  virtual bool runs_caller() const = 0;
};

}  // namespace frond::leaf::schedule
