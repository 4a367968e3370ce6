#pragma once
// Runs batches on the device: one workspace of device and pinned memory, one stream. A batch is three kernels and
// nothing else: the first reads the batch from pinned memory, the last writes the answers there, and the host sees them
// come; a query alone waits for little else then. One thread at a time; several runners may work side by side: while
// one's batch is on the device, the next one's is put together.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch_builder.h"
#include "leaf/gpu/busy_time.h"

namespace frond::leaf::gpu {

// What the device found for a plan. Not answered: it has no room to tell the k best apart (thousands of equal scores),
// and the CPU must.
struct RunOutcome {
  bool answered = false;
  Outcome outcome;
};

// Where a batch's time goes, in the order of its steps. The host's steps are microseconds of a thread, the device's of
// the stream; while one runner waits others work, so the sum is more than what passed.
struct BatchSteps {
  enum Step { kBuild, kStart, kSearch, kSelect, kOutcomes, kSteps };
  std::array<double, kSteps> microseconds{};
  std::uint64_t parts = 0;  // launches
};

class BatchRunner {
 public:
  // Workspaces for plans of at most kMaxHits hits. `bytes` of device memory are divided up: at least kMinBytes.
  // `busy` is told of every launch. `timed`: steps() tells the device's steps too, for some microseconds more a batch.
  static constexpr std::size_t kMinBytes = std::size_t{24} << 20;
  static Result<std::unique_ptr<BatchRunner>> create(int device, std::size_t bytes, BusyTime& busy, bool timed = false);

  // Puts the plans on their way, any number of them, and returns; they stay as they are until finish(). kDevice: as
  // finish().
  Result<void> start(std::vector<const ReadyPlan*> plans);
  // One outcome a plan, in order, of the plans that start() took. kDevice: the device is lost, or did not answer within
  // `patience`: nothing here may be used any more.
  Result<std::vector<RunOutcome>> finish(const Clock& clock, std::chrono::milliseconds patience);

  // Whether something may be on the device that finish() did not wait for. Where start() or finish() throws, this tells
  // whether the runner may be used again.
  bool on_device() const { return on_device_; }

  const BatchSteps& steps() const { return steps_; }

 private:
  struct Space;
  struct SpaceDeleter {
    void operator()(Space* space) const;
  };

  BatchRunner(int device, std::unique_ptr<Space, SpaceDeleter> space, BusyTime& busy)
      : device_(device), space_(std::move(space)), busy_(busy) {}
  std::size_t part_of(std::span<const ReadyPlan* const> plans) const;
  Result<void> start_part(std::span<const ReadyPlan* const> plans);
  Result<void> finish_part(std::vector<RunOutcome>& outcomes, const Clock& clock, std::chrono::milliseconds patience);
  Result<void> wait(std::size_t queries, const Clock& clock, std::chrono::milliseconds patience) const;
  Result<void> add_device_steps();

  const int device_;
  std::unique_ptr<Space, SpaceDeleter> space_;
  BusyTime& busy_;
  BatchBuilder builder_;
  std::vector<const ReadyPlan*> plans_;
  std::size_t first_ = 0, count_ = 0;  // of plans_: the part that is on its way
  std::uint32_t stride_ = 1;           // places a plan has for its hits
  std::uint64_t launch_ = 0;           // the number of the last one
  bool on_device_ = false;
  BatchSteps steps_;
};

}  // namespace frond::leaf::gpu
