#pragma once
// What runs on GPUs in a build, if this program has it; for frond-indexer and frond-papers.
#include <chrono>
#include <cstdint>

#include "common/base/result.h"
#include "indexer/invert/inverter.h"
#include "indexer/order/document_order.h"

namespace frond::indexer {

// kDevice: this build has no CUDA, or this machine no such device.
Result<const invert::InverterKind*> gpu_inverters(int device);
Result<const invert::TextInverterKind*> gpu_text_inverter(int device);
Result<order::BisectElsewhere> gpu_bisection(const invert::GpuMemory& gpu);
int count_gpus();  // of this machine
// Memory of the device that no process uses now.
Result<std::uint64_t> free_gpu_memory(int device);
// How long the process waits for a GPU before it goes on without it. Call it before the others.
void set_gpu_timeout(std::chrono::milliseconds timeout);

}  // namespace frond::indexer
