#pragma once
// The leaf's GPU as main() sees it. Implemented in accelerator_gpu.cc if the build has CUDA, otherwise in
// accelerator_absent.cc.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/engine/batch_times.h"
#include "leaf/engine/query_engine.h"
#include "leaf/options.h"

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

// The GPU of options.gpu_device, with the memory that the options give it. `below` answers what the GPU does not, and
// outlives the accelerator. kDevice: no such device, or it cannot be used, with the reason; kInvalid: too little
// memory. The registry may be scraped only while the accelerator lives.
Result<std::unique_ptr<Accelerator>> make_accelerator(const Options& options, engine::QueryEngine& below,
                                                      metrics::Registry& registry);
// The same; null: the options want no GPU, or there is none and the log has the reason. Error: the leaf needs a GPU,
// and there is none.
Result<std::unique_ptr<Accelerator>> accelerator_for(const Options& options, engine::QueryEngine& below,
                                                     metrics::Registry& registry, Logger& log);

// For hello and metrics: off, absent, ready or lost. `gpu` may be null.
std::string gpu_state(const Options& options, const Accelerator* gpu);
// All outlive the registry's last exposition.
void export_gpu_state(metrics::Registry& registry, const Options& options, const Accelerator* gpu);

}  // namespace frond::leaf
