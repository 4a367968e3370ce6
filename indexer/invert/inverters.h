#pragma once
// The implementations of Inverter that this build has.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "indexer/invert/inverter.h"

namespace frond::indexer::invert {

// What an inverter on a GPU may use.
struct GpuMemory {
  int device = 0;
  std::uint64_t bytes = std::uint64_t{2} << 30;
};

// Pinned memory of the host that an inverter on a GPU has beside its budget.
inline constexpr std::uint64_t kPinnedBytes = std::uint64_t{8} << 20;

struct InverterSetup {
  std::filesystem::path folder;  // for the runs; it exists
  std::string label;             // begins the names of the runs; no two inverters of a folder have the same
  std::uint32_t partitions = 1;
  InverterBudget budget;
  std::size_t frame_bytes = runs::kFramePayloadBytes;  // of the runs
  GpuMemory gpu{};
  std::function<void(const std::string&)>
      warn{};  // where an inverter says that it goes on without its GPU; may be empty
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
