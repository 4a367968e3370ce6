#pragma once
// The implementations of Inverter that this build has.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "indexer/invert/inverter.h"

namespace frond::indexer::invert {

struct InverterSetup {
  std::filesystem::path folder;  // for the runs; it exists
  std::string label;             // begins the names of the runs; no two inverters of a folder have the same
  std::uint32_t partitions = 1;
  InverterBudget budget;
  std::size_t frame_bytes = runs::kFramePayloadBytes;  // of the runs
};

struct InverterKind {
  std::string_view name, dictionary;
  std::uint64_t min_bytes;  // it may hold so many bytes although its budget is smaller
  std::unique_ptr<Inverter> (*make)(InverterSetup setup);
};

// A new implementation is a file pair and a line in this table; tests/contract/inverter tests every entry.
std::span<const InverterKind> inverter_kinds();

inline constexpr std::string_view kUsualCpuDictionary = "hash";
// The kind whose dictionary has this name; null: there is none.
const InverterKind* inverter_with(std::string_view dictionary);

}  // namespace frond::indexer::invert
