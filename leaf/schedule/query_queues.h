#pragma once
// Which query runs next, and on which processor.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "leaf/schedule/busy_processors.h"
#include "leaf/schedule/client_times.h"
#include "leaf/schedule/indexed_heap.h"

namespace frond::leaf::schedule {

// A query as the queues see it. The owner derives its own type from this, or keeps this as a member.
struct QueryJob {
  // Set by the owner before QueryQueues::add(), and left alone until the job is given back.
  double cpu_us = 0;  // predicted: one worker's time
  double gpu_us = 0;  // predicted: what it adds to a batch for the GPU
  Deadline deadline = Deadline::never();
  Client client = {};  // jobs of one client share a turn with each other client
  // Where the job may run; at least one. A job whose lists are not on the GPU is the CPU's.
  bool for_cpu = true, for_gpu = true;

  // Set by QueryQueues.
  enum class Queue : std::uint8_t { kCpu, kGpu, kEither };
  enum class TakenAs : std::uint8_t {
    kOwn,     // from the queue of the processor that runs it
    kEither,  // from the third queue, by a processor with nothing of its own
    kStolen,  // from the other processor's queue, likewise
    kUrgent   // before all others: near its deadline, or it waited too long
  };
  enum class Placed : std::uint8_t {
    kOnly,    // only one processor may run it
    kSuited,  // by its predicted times
    kInTime,  // the processor that it suits is predicted to end it too late
    kSooner   // it suits the CPU, where so much waits that the GPU ends it in half of the time
  };
  Queue queue = Queue::kCpu;               // where it waited
  Placed placed = Placed::kOnly;           // why there
  TakenAs taken_as = TakenAs::kOwn;        // why it was taken
  std::int64_t running = 0;                // for QueryQueues alone: the worker, while it runs on the CPU
  std::uint32_t slot = ~std::uint32_t{0};  // for QueryQueues alone, while it waits
};

// Which query runs next, and on which processor: the three queues of Ding et al. 2009, 9. Queries that are much faster
// on the GPU wait for it, those much faster on the CPU wait for that, and the third queue has those that either may
// run.
//
// - A query belongs to the GPU if it takes the CPU at least 1.2 times as long, to the CPU if it is the other way round.
// A
//   batch's launch counts by share. The threshold moves while one processor has more work waiting than the other. A
//   query for the CPU goes to the GPU all the same if that is predicted to end it in half of the time.
// - A processor with nothing of its own takes the oldest job of the third queue, unless the other will end that sooner;
//   without one, it steals from the other's queue the job that suits it best, if that ends the job sooner.
// - In its own queue a processor runs light jobs first. Jobs are ordered by a virtual time, at which clients get shares
//   by their weights (client_times.h), plus kLightFirst times the job's cost. So of each other client of its weight at
//   most kLightFirst times a job's own cost passes it.
// - A job that waits for the CPU while its workers take longer than predicted goes to the GPU when that is expected to
//   end it sooner: a worker that is late is expected to take as long again as it is late. Jobs that run already stay
//   where they are: a batch cannot be called back, and a job that ran twice would take the GPU from jobs that wait.
// - A job that has waited for three quarters of its time, or for max_age, or could soon end too late, is urgent. So is
//   one that both processors may run and that has waited for 1 ms and twice as long as it was predicted to take in all:
//   lighter jobs of one processor passed it meanwhile, and the other one may be quicker. Urgent jobs run before all
//   others, in the order in which they became urgent, on the first processor that asks, unless the job waits for the
//   other one and that will end it sooner.
// - Admission: a job whose predicted wait and service exceed its deadline on both processors is refused, before work is
//   spent on it, unless it could start at once. Jobs that are late, cancelled, or predicted to miss their deadline even
//   if they need half of what was predicted, are dropped when they would be taken.
// - A batch closes when a stream is free and the device is about to have nothing to do, or when it is full, by number
//   or work, or when one of its jobs becomes urgent, or when a further job would make one of them late. A device that
//   is behind by kBehind full batches gets up to kBehind times the work in a batch: small ones cost it more a job, so
//   it would fall behind further. Within a batch heavy jobs come first.
//
// A pure data structure: no threads, no clock. Its owner holds a lock and passes the time in, which must not go back.
// Each operation takes O(log n) for each job that it touches, and allocates nothing. Jobs are the owner's, and must
// live until they are given back: by next_for_cpu(), next_batch(), next_dropped() or remove().
class QueryQueues {
 public:
  static constexpr std::int64_t kLightFirst = 64;
  static constexpr double kBand = 1.2;  // a queue of its own for jobs that are so many times as fast on one processor

  struct Options {
    std::uint32_t workers = 1;                       // of the CPU; 0: the GPU alone
    std::uint32_t streams = 0;                       // batches that the GPU runs at a time; 0: no GPU
    std::size_t max_waiting = 4096;                  // jobs; more are refused
    std::size_t max_batch = 512;                     // jobs
    std::chrono::microseconds max_batch_work{2000};  // predicted, without the launch; a single job may have more
    std::chrono::microseconds launch{45};            // of a batch, whatever is in it
    std::chrono::microseconds max_age{1'000'000};    // a job that has waited longer is urgent
    std::uint32_t secret = ClientTimes::kUsualSecret;
    bool follow_overruns = true;  // false, for comparisons: workers that are late are expected to be free at once
  };

  enum class Admitted : std::uint8_t {
    kYes,
    kFull,     // max_waiting jobs wait
    kTooLate,  // predicted to miss its deadline
  };
  struct Added {
    Admitted admitted = Admitted::kYes;
    double wait_us = 0;  // predicted: from now to its end, where it ends soonest; also of a job that is too late
  };
  // What idle processors should do. If both could take the same job of the third queue, it is for the one that ends it
  // sooner.
  struct Wanted {
    bool cpu = false;            // an idle worker calls next_for_cpu()
    std::optional<Instant> gpu;  // from then on next_batch() is called; empty: there is nothing for the GPU
    bool batch = false;          // next_batch() would find something now
  };
  struct Batch {
    std::uint32_t stream = 0;
    std::size_t jobs = 0;  // 0: there is nothing to run, and no stream was taken
    double work_us = 0;    // predicted, without the launch
  };
  // For metrics. Counters start with the queues.
  struct State {
    std::size_t waiting[3] = {};              // by QueryJob::Queue
    double cpu_wait_us = 0, gpu_wait_us = 0;  // predicted until a new job of average cost could start
    double threshold = 1;                     // of CPU time by GPU time
    std::uint64_t refused_full = 0, refused_late = 0, dropped = 0, urgent = 0;
    std::uint64_t overrun = 0;  // jobs that the GPU took while all workers were late
    std::uint64_t either_by_cpu = 0, either_by_gpu = 0, stolen_by_cpu = 0, stolen_by_gpu = 0;
  };

  // REQUIRES: max_waiting and max_batch are above 0, and workers or streams.
  explicit QueryQueues(const Options& options);

  // A job for the GPU alone goes to the CPU if there is no GPU. There is a processor that may run it.
  Added add(QueryJob& job, Instant now);
  // For an idle worker, which then runs the job and calls cpu_done(). Null: there is nothing for it now.
  QueryJob* next_for_cpu(Instant now);
  void cpu_done(QueryJob& job);
  // Ask after any call that added, took, ended or removed something, before the lock is released.
  Wanted wanted(Instant now) const;
  // Fills `jobs`, up to its size, and takes a stream for them, which batch_done() frees. Closes the batch whether it is
  // due or not.
  Batch next_batch(std::span<QueryJob*> jobs, Instant now);
  void batch_done(std::uint32_t stream, Instant now);
  // Jobs that the calls above found late or cancelled; their owner fails them. Null: there is none. Ask after each call
  // that returned, so that they do not take up room.
  QueryJob* next_dropped();
  // Takes a waiting job out. False: it does not wait.
  bool remove(QueryJob& job);
  // The GPU failed: all that waits for it goes to the CPU, as does what is added from now on.
  void close_gpu();

  std::size_t waiting() const { return waiting_; }
  // Jobs of a batch, on average lately.
  double typical_batch() const { return typical_batch_; }
  State state(Instant now) const;

 private:
  using Queue = QueryJob::Queue;
  using TakenAs = QueryJob::TakenAs;
  static constexpr std::int64_t kBehind = 4;  // full batches, by work, that wait
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    QueryJob* job = nullptr;
    std::int64_t cpu = 0, gpu = 0;  // costs
    std::int64_t tag = 0;           // virtual time
    std::int64_t deadline = 0, urgent_at = 0;
    std::uint32_t next = kNone;  // dropped after this one
    Queue queue = Queue::kCpu;
    bool movable = false;  // either processor may run it
  };
  struct Waiting {
    explicit Waiting(std::size_t slots) : order(slots), urgent(slots), suited(slots) {}
    IndexedHeap order, urgent;
    IndexedHeap suited;  // movable jobs by how well they suit the other processor; not of the third queue
    WaitingWork cpu, gpu;
    std::size_t size() const { return order.size(); }
  };
  struct Ends {
    std::int64_t cpu = kNeverNs, gpu = kNeverNs;  // from now; kNeverNs: must not run there
    std::int64_t soonest() const { return cpu < gpu ? cpu : gpu; }
  };
  struct Pick {
    std::uint32_t slot = kNone;
    TakenAs as = TakenAs::kOwn;
  };

  Waiting& queue(Queue which) { return queues_[static_cast<std::size_t>(which)]; }
  const Waiting& queue(Queue which) const { return queues_[static_cast<std::size_t>(which)]; }
  bool has_gpu() const { return streams_.open(); }
  bool has_cpu() const { return workers_.count() > 0; }

  // Predicted ends.
  std::int64_t cpu_end(std::int64_t cost, std::int64_t now) const;
  std::int64_t gpu_end(std::int64_t cost, std::int64_t now) const;
  std::int64_t cpu_end_of_waiting(const Slot& slot, std::int64_t now) const;
  std::int64_t gpu_end_of_waiting(const Slot& slot, std::int64_t now) const;
  std::int64_t worker_wait(std::int64_t now) const {
    return options_.follow_overruns ? workers_.wait_with_overruns(now) : workers_.wait(now);
  }
  std::int64_t overrun_due(std::int64_t now) const;

  // add()
  Queue suited_queue(const Slot& slot) const;
  Admitted place(Slot& slot, const Ends& ends, std::int64_t now);
  void adapt(std::int64_t now);
  void enqueue(std::uint32_t number);
  void tag(Slot& slot);

  // Taking.
  void unlink(std::uint32_t number);
  QueryJob& take(const Pick& pick);
  bool drop_if_late(std::uint32_t number, std::int64_t now);
  void drop(std::uint32_t number);
  void sweep(std::int64_t now);
  // For the processor of `mine`; `alone`: there is no other. When a job would end here; on the other processor if it
  // was next there; and after what waits there.
  template <class Here, class AtOnce, class There>
  Pick pick(Queue mine, Queue others, bool alone, std::int64_t now, const Here& here, const AtOnce& there_at_once,
            const There& there) const;
  Pick pick_for_cpu(std::int64_t now) const;
  std::int64_t batch_due(std::int64_t now) const;
  Pick pick_for_gpu(std::int64_t now, std::int64_t work) const;

  const Options options_;
  const std::int64_t launch_, max_batch_work_, max_age_;
  BusyWorkers workers_;
  BusyStreams streams_;
  std::array<Waiting, 3> queues_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t first_dropped_ = kNone, last_dropped_ = kNone;
  std::size_t waiting_ = 0;
  ClientTimes times_;
  double threshold_ = 1, log_threshold_ = 0, typical_batch_ = 1;
  std::int64_t adapted_at_ = 0;
  State counters_;
};

}  // namespace frond::leaf::schedule
