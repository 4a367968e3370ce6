#pragma once
// Which implementations inverter_test.cc tests: those of the CPU, or the one of the GPU (tests/gpu/inverter).
#include <span>

#include "indexer/invert/inverter.h"

namespace frond::indexer::invert {

std::span<const InverterKind> tested_inverters();

}  // namespace frond::indexer::invert
