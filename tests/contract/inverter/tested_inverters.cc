#include "tests/contract/inverter/tested_inverters.h"

namespace frond::indexer::invert {

std::span<const InverterKind> tested_inverters() { return inverter_kinds(); }

}  // namespace frond::indexer::invert
