#include "indexer/invert/inverters.h"

#include "indexer/invert/cpu_inverter.h"

namespace frond::indexer::invert {
namespace {

std::unique_ptr<Inverter> make_cpu_inverter(InverterSetup setup) {
  return std::make_unique<CpuInverter>(std::move(setup.folder), std::move(setup.label), setup.partitions,
                                       std::move(setup.budget), setup.frame_bytes);
}

constexpr InverterKind kKinds[] = {
    {"cpu", CpuInverter::kMinBytes, make_cpu_inverter},
};

}  // namespace

std::span<const InverterKind> inverter_kinds() { return kKinds; }

}  // namespace frond::indexer::invert
