#pragma once
// The leaf's GPU as main() sees it. make_accelerator() is in accelerator_gpu.cc if the build has CUDA, otherwise in
// accelerator_absent.cc.
#include <memory>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/metrics/registry.h"
#include "leaf/engine/query_engine.h"
#include "leaf/options.h"

namespace frond::leaf {

using engine::Accelerator;

// The GPUs that the options name, each with the memory that the options give it. Of one that cannot be used a line of
// the log tells; the others are used all the same. `below` answers what the GPUs do not, and outlives the accelerator.
// kDevice: none can be used. The registry may be scraped only while the accelerator lives.
Result<std::unique_ptr<Accelerator>> make_accelerator(const Options& options, engine::QueryEngine& below,
                                                      metrics::Registry& registry, Logger& log);
// The same; null: the options want no GPU, or none can be used and the log has the reason.
std::unique_ptr<Accelerator> accelerator_for(const Options& options, engine::QueryEngine& below,
                                             metrics::Registry& registry, Logger& log);

// For --gpu-drill: the process goes on without the device, as without one that hangs.
void give_up_gpu(int device);

// For people and hello: off, absent, ready or lost; of several GPUs the state of each, as "0 ready, 1 lost", unless all
// are lost. `gpu` may be null.
std::string gpu_state(const Options& options, const Accelerator* gpu);
// The host's budgets and --gpu-cache of each device. `gpu` may be null.
std::vector<Budget> budgets_of(const Options& options, const Accelerator* gpu);
// By device, where there are any.
// All outlive the registry's last exposition.
void export_gpu_state(metrics::Registry& registry, const Options& options, const Accelerator* gpu);

}  // namespace frond::leaf
