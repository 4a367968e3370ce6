#pragma once
// Seam: evaluates queries on one partition. For the same plan every engine gives the same hits and scores, to the byte;
// `matches` may be a lower bound if the plan is ranked.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::engine {

class QueryEngine {
 public:
  virtual ~QueryEngine() = default;
  virtual std::string_view name() const = 0;
  // One result per plan, in order. A GPU evaluates the plans together, a CPU one by one. Errors: kCorrupt if a list
  // does not decode; kDeadline if the deadline passes before or during evaluation. May be called from several threads
  // at once.
  virtual std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) = 0;
};

// A device that evaluates plans in batches beside an engine of the CPU, or several: GpuEngine, GpuDevices, where the
// build has CUDA.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // One answer per plan, in order; empty if the CPU's engine must answer. `times` may be null. Several threads at a
  // time; of more than streams() some wait.
  virtual std::vector<std::optional<Result<Outcome>>> try_search(std::span<const Plan> plans, const Clock& clock,
                                                                 BatchTimes* times) = 0;
  // Copies to device memory the lists, and the arrays by document that the plan needs, on the caller's thread;
  // evaluates nothing. False: no more should be copied, since nine tenths of the memory are used, or the device is
  // lost. REQUIRES: the plan has no terms; `lists` are of its partition, in host memory.
  virtual bool warm(const Plan& plan, std::span<const lists::ListLease> lists) = 0;
  virtual std::uint32_t streams() const = 0;
  virtual bool lost() const = 0;  // it answers no more plans
  // Of the machine's devices, those that it was made of. Any thread.
  struct Device {
    int number = 0;
    bool lost = false;
    std::uint64_t bytes = 0;  // of its memory, to be used
  };
  virtual std::vector<Device> devices() const = 0;
  // How many of them still answer plans, at the same time. Short.
  virtual std::uint32_t working() const { return lost() ? 0 : 1; }
  virtual lists::DeviceLists& lists() = 0;  // in its memory
  // For people: which lists it leaves to the CPU's engine for good, and why. Empty: none.
  virtual std::string refusals() const = 0;
  // Call when a partition is opened: it takes about so many bytes of device memory. Any thread.
  virtual void add(std::uint64_t /*partition*/, std::uint64_t /*bytes*/) {}
  // Call before closing a partition. Waits for a running copy of its lists; after it returns, nothing reads the
  // partition. Any thread.
  virtual void forget(std::uint64_t partition) = 0;
};

}  // namespace frond::leaf::engine
