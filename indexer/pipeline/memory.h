#pragma once
// The memory limit, cut into what each part may hold.
#include <cstdint>

#include "common/base/result.h"

namespace frond::indexer {

inline constexpr std::uint64_t kMinMemoryLimit = std::uint64_t{128} << 20;

struct MemoryPlan {
  std::uint64_t limit = 0;        // resident bytes of the process
  std::size_t batches = 0;        // in flight
  std::uint64_t batch_bytes = 0;  // of records, of one batch
  std::uint64_t flush_at = 0;     // resident bytes that make the inverters flush
  std::uint64_t postings = 0;     // bytes of all inverters that make them flush
  std::uint64_t least_run = 0;    // bytes below which a flush is not worth while, whatever is resident
  std::uint64_t ids = 0;          // of the id set: more ends the build
};
MemoryPlan plan_memory(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters);

// Partitions that may be written at once: each holds a PartitionWriter, the runs' readers and the lists between them.
std::uint32_t partitions_at_once(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads);

std::uint64_t resident_bytes();       // of this process now; 0 where the system does not say
std::uint64_t peak_resident_bytes();  // since it started

// Returns what the allocator holds for nothing to the system.
void release_unused_memory();

}  // namespace frond::indexer
