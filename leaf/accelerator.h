#pragma once
// The leaf's GPU as main() sees it. Implemented in accelerator_gpu.cc if the build has CUDA, otherwise in
// accelerator_absent.cc.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/engine/batch_times.h"
#include "leaf/engine/query_engine.h"

namespace frond::leaf {

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // One answer per plan, in order; empty if the engine `below` must answer. Several threads at a time; of more than
  // streams() some wait.
  virtual std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                         const Clock& clock,
                                                                         engine::BatchTimes& times) = 0;
  virtual std::uint32_t streams() const = 0;
  virtual std::string_view state() const = 0;  // "ready", or "lost": answers no more plans
  // The lists in its memory.
  virtual lists::DeviceLists& lists() = 0;
  // For people: which lists it leaves to the engine `below` for good, and why. Empty: none.
  virtual std::string refusals() const = 0;
  // Call before closing a partition. Waits for a running copy of its lists; after it returns, nothing reads the
  // partition. Any thread.
  virtual void forget(std::uint64_t partition) = 0;
};

// Bytes of the GPU's memory: of all that is used, and of these at most for plain forms of lists (gpu/plain_lists.h).
struct GpuMemory {
  std::size_t all_bytes = 0, plain_bytes = 0;
};

// `below` answers what the GPU does not, and outlives the accelerator. kDevice: no such device, or it cannot be used,
// with the reason; kInvalid: too little memory. The registry may be scraped only while the accelerator lives.
Result<std::unique_ptr<Accelerator>> make_accelerator(int device, const GpuMemory& memory, engine::QueryEngine& below,
                                                      metrics::Registry& registry);

}  // namespace frond::leaf
