#pragma once
// A query as the queues see it. The owner derives its own type from this, or keeps this as a member.
#include <cstdint>

#include "common/base/deadline.h"

namespace frond::leaf::schedule {

struct QueryJob {
  // Set by the owner before QueryQueues::add(), and left alone until the job is given back.
  double cpu_us = 0;  // predicted: one worker's time
  double gpu_us = 0;  // predicted: what it adds to a batch for the GPU
  Deadline deadline = Deadline::never();
  // Jobs of one client share a turn with each other client: the lines of a request with many searches have one number,
  // single searches another. Numbers that are equal modulo QueryQueues::kClients count as one client.
  std::uint32_t client = 0;
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

}  // namespace frond::leaf::schedule
