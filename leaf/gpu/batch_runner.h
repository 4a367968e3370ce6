#pragma once
// Runs batches of plans on the device, in one workspace with one stream. A batch is a few kernels and no copies: the
// first kernel reads the batch from pinned memory, the last writes the answers to pinned memory, which the host polls.
// That keeps the latency of a single query low. Not thread-safe, but several runners may work side by side: one
// prepares its batch while another's is on the device.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/device/runtime.h"
#include "leaf/engine/plan.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/batch_workspace.h"
#include "leaf/gpu/busy_time.h"
#include "leaf/gpu/counts/count_builder.h"

namespace frond::leaf::gpu {

using SteadyTime = std::chrono::steady_clock::time_point;
inline double us_between(SteadyTime from, SteadyTime to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

// What the device found for a plan. Not answered: thousands of candidates have just the score of the k-th and cannot be
// ranked by document (can_rank_ties()), so the CPU must search.
struct RunOutcome {
  bool answered = false;
  engine::Outcome outcome;
};

// Where a batch's time goes, step by step. kBuild and kOutcomes are microseconds of a host thread, the others of the
// stream. Runners work at the same time, so the sum may exceed the time that passed.
struct BatchSteps {
  enum Step { kBuild, kStart, kSearch, kSelect, kOutcomes, kSteps };
  std::array<double, kSteps> microseconds{};
  std::uint64_t parts = 0;  // launches
};

class BatchRunner {
 public:
  static constexpr std::size_t kMinBytes = BatchWorkspace::kMinBytes;
  // `bytes` of device memory, at least kMinBytes, else kInvalid. `busy` gets the period of every launch and outlives
  // the runner. kDevice.
  struct Options {
    bool timed = false;     // steps() has the device's steps too, which costs some microseconds a batch
    bool by_bucket = true;  // BatchOnDevice::by_bucket
    Sums sums = Sums::kWhereFaster;
  };
  static Result<std::unique_ptr<BatchRunner>> create(int device, std::size_t bytes, BusyTime& busy,
                                                     const Options& options);

  // Launches a batch of any number of plans and returns. Those that exceed one launch follow in finish(). kDevice: as
  // finish().
  // REQUIRES: all fit the kernels; all are ranked, or none; they stay unchanged until finish() returns.
  Result<void> start(std::vector<const ReadyPlan*> plans) { return start(std::move(plans), false); }
  // The same for what is to be counted of plans, all of which fit the counters and have the same orders_of(). Their
  // outcomes have counts, and hits where plans have an order.
  Result<void> start_counts(std::vector<const ReadyPlan*> plans) { return start(std::move(plans), true); }
  // Waits, and returns one outcome for each plan given to start(), in the same order. kDevice: an operation failed, or
  // the device did not answer within `patience`; the runner must not be used any more.
  Result<std::vector<RunOutcome>> finish(const Clock& clock, std::chrono::milliseconds patience);

  // Whether a launch may still be running. When start() or finish() has thrown, the runner may be used again only if
  // this is false.
  bool on_device() const { return on_device_; }

  const BatchSteps& steps() const { return steps_; }
  // Of the last batch, after finish().
  const engine::BatchTimes& times() const { return times_; }

 private:
  BatchRunner(int device, BatchWorkspace space, BusyTime& busy, const Options& options)
      : device_(device), by_bucket_(options.by_bucket), space_(std::move(space)), busy_(busy), builder_(options.sums) {}
  Result<void> start(std::vector<const ReadyPlan*> plans, bool counts);
  std::size_t part_of(std::span<const ReadyPlan* const> plans) const;
  Result<void> start_part(std::span<const ReadyPlan* const> plans);
  Result<void> finish_part(std::vector<RunOutcome>& outcomes, const Clock& clock, std::chrono::milliseconds patience);
  Result<void> wait(std::size_t queries, const Clock& clock, std::chrono::milliseconds patience) const;
  Result<void> add_device_steps();
  std::size_t counted_part_of(std::span<const ReadyPlan* const> plans) const;
  Result<void> start_counting(std::span<const ReadyPlan* const> plans);
  void take_counts(std::span<const ReadyPlan* const> plans, std::span<RunOutcome> outcomes) const;

  const int device_;
  const bool by_bucket_;
  BatchWorkspace space_;
  BusyTime& busy_;
  BatchBuilder builder_;
  CountBuilder count_builder_;
  bool counts_ = false;  // the plans are counted
  std::vector<const ReadyPlan*> plans_;
  std::size_t first_ = 0, count_ = 0;  // of plans_: the part on the device
  std::uint32_t stride_ = 1;           // places of one plan for its hits
  std::uint64_t launch_ = 0;           // number of the last launch
  bool on_device_ = false;
  BatchSteps steps_;
  engine::BatchTimes times_;
  std::chrono::steady_clock::time_point staged_{};  // when the part was ready to be launched
};

}  // namespace frond::leaf::gpu
