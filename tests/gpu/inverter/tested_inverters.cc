#include "tests/contract/inverter/tested_inverters.h"

#include "indexer/invert/gpu/gpu_inverter.h"

namespace frond::indexer::invert {

std::span<const InverterKind> tested_inverters() { return {&gpu::gpu_inverter_kind(), 1}; }

}  // namespace frond::indexer::invert
