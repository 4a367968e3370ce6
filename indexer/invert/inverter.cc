#include "indexer/invert/inverter.h"

#include <algorithm>
#include <iterator>

#include "indexer/invert/cpu_inverter.h"

namespace frond::indexer::invert {

namespace {

template <class Kind>
std::unique_ptr<Inverter> make_inverter(InverterSetup setup) {
  return std::make_unique<Kind>(std::move(setup.folder), std::move(setup.label), setup.partitions,
                                std::move(setup.budget), setup.frame_bytes);
}

constexpr InverterKind kKinds[] = {
    {"cpu", "hash", kMinInverterBytes, make_inverter<HashInverter>},
    {"cpu_btree", "btree", kMinInverterBytes, make_inverter<BTreeInverter>},
};

}  // namespace

std::span<const InverterKind> inverter_kinds() { return kKinds; }

const InverterKind* inverter_with(std::string_view dictionary) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const InverterKind& each) { return each.dictionary == dictionary; });
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace frond::indexer::invert
