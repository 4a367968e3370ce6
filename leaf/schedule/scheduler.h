#pragma once
// Seam: where work waits and who runs it. A task is one partition of one query (or one fetch of documents); tasks of
// one query are admitted together or not at all, so overload is refused at the door and nothing is half done.
//
// Implementations: worker_pool.h (threads and one bounded queue), inline_scheduler.h (tests).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"

namespace frond::leaf::schedule {

struct Task {
  // Never started after it, nor once it is cancelled: dropped then.
  Deadline deadline = Deadline::never();
  // Called once, on a worker: with the time it waited, or with kDeadline if it was dropped. Takes care of its own
  // failures; what it throws nevertheless ends with it.
  std::function<void(Result<std::chrono::microseconds> waited)> run;
  // About how many postings it has to look at; 0: few, or not known. Lighter searches go first, heavier ones get a turn
  // now and then.
  std::uint64_t weight = 0;
};

enum class Lane {
  kSearch,      // in order of weight, then of arrival; bounded
  kContinue,    // the next step of work that was admitted before: ahead of kSearch, never refused for overload; its
                // number is bounded by that of the admitted
  kInteractive  // short: documents of an answer. Ahead of the others, bounded on its own, never behind a long search
};

class Scheduler {
 public:
  struct Load {
    std::size_t waiting = 0, limit = 0, workers = 0, running = 0;
  };
  virtual ~Scheduler() = default;
  // All tasks or none. kOverloaded: the queue is full; kUnavailable: draining. A group larger than the whole queue is
  // taken when nothing waits. Any thread; tasks may submit (kContinue) while they run.
  virtual Result<void> submit(std::vector<Task> tasks, Lane lane) = 0;
  // Takes no more, and returns when all that was taken has run. Not from a task.
  virtual void drain() = 0;
  virtual Load load() const = 0;
};

}  // namespace frond::leaf::schedule
