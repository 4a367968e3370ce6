#pragma once
// Runs batches on the device: one workspace of device and pinned memory, one stream. One thread at a time; several
// runners may work side by side.
#include <memory>
#include <span>
#include <vector>

#include "common/base/deadline.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch_builder.h"

namespace frond::leaf::gpu {

// What the device found for a plan. Not answered: it has no room to tell the k best apart (thousands of equal scores),
// and the CPU must.
struct RunOutcome {
  bool answered = false;
  Outcome outcome;
};

class BatchRunner {
 public:
  // Workspaces for plans of at most kMostHits hits. `bytes` of device memory are divided up: at least kLeastBytes.
  static constexpr std::size_t kLeastBytes = std::size_t{24} << 20;
  static Result<std::unique_ptr<BatchRunner>> create(int device, std::size_t bytes);

  // One outcome a plan, in order; any number of plans. kDevice: the device is lost, or did not answer within
  // `patience`: nothing here may be used any more.
  Result<std::vector<RunOutcome>> run(std::span<const ReadyPlan* const> plans, const Clock& clock,
                                      std::chrono::milliseconds patience);

 private:
  struct Space;
  struct SpaceDeleter {
    void operator()(Space* space) const;
  };
  using Part = std::vector<const ReadyPlan*>;

  BatchRunner(int device, std::unique_ptr<Space, SpaceDeleter> space) : device_(device), space_(std::move(space)) {}
  Part next_part(std::span<const ReadyPlan* const> plans) const;
  Result<void> run_part(const Part& plans, const Clock& clock, std::chrono::milliseconds patience);
  Result<void> wait(const Clock& clock, std::chrono::milliseconds patience) const;

  const int device_;
  std::unique_ptr<Space, SpaceDeleter> space_;
};

}  // namespace frond::leaf::gpu
