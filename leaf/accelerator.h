#pragma once
// The leaf's GPU as main() sees it. make_accelerator() is in accelerator_gpu.cc if the build has CUDA, otherwise in
// accelerator_absent.cc.
#include <memory>
#include <string>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/engine/query_engine.h"
#include "leaf/options.h"

namespace frond::leaf {

using engine::Accelerator;

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
