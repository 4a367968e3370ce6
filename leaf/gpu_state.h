#pragma once
// The GPU that the options ask for, and its state for hello and metrics.
#include <memory>
#include <string>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/accelerator.h"
#include "leaf/options.h"

namespace frond::leaf {

// Null: the options want no GPU, or there is none and the log has the reason. Error: the leaf needs a GPU, and there is
// none.
Result<std::unique_ptr<Accelerator>> accelerator_for(const Options& options, engine::QueryEngine& cpu,
                                                     metrics::Registry& registry, Logger& log);

// off, absent, ready or lost.
class GpuState {
 public:
  // `gpu` may be null, and outlives this.
  GpuState(const Options& options, const Accelerator* gpu) : off_(!options.gpu_device), gpu_(gpu) {}
  std::string now() const { return std::string(gpu_ ? gpu_->state() : off_ ? "off" : "absent"); }
  // Which lists the GPU cannot take, for people; empty: none.
  std::string refusals() const { return gpu_ ? gpu_->refusals() : std::string(); }
  // This outlives the registry's last exposition.
  void export_to(metrics::Registry& registry) const;

 private:
  bool off_;
  const Accelerator* gpu_;
};

}  // namespace frond::leaf
