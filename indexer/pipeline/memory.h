#pragma once
// The memory limit, cut into what each part may hold. The sum is below the limit for any input; what does not fit is
// flushed to disk, waits, or is refused.
//
// While inputs are inverted:
//
//   the program       kProgramBytes: code, libraries, stacks, buffers of a fixed size
//   the reader        a record (InputLimits), and the batch that it fills
//   batches           in flight: records, tokens, compressed fields
//   parsers           a thread's buffers; and `parse`, which they share while they are at dear records
//   ids               what tells duplicates apart
//   windows           of a decompressor (InputLimits)
//   alone             a record that is dearer than `parse`: nothing else is in flight while it is parsed and inverted
//   postings          of the inverters: whatever of `elastic` ids, windows and `alone` leave (MemoryBudget)
//
// Which records are refused depends on the limit alone, never on the number of threads: there are fewer threads where
// they would not fit.
#include <cstdint>

#include "common/base/result.h"

namespace frond::indexer::pipeline {

// Below it, nothing would be left for postings beside the writer of a partition and a document.
inline constexpr std::uint64_t kMinMemoryLimit = std::uint64_t{128} << 20;

struct MemoryPlan {
  std::uint64_t limit = 0;        // resident bytes of the process
  std::uint32_t parsers = 1;      // threads: as many as were asked for, or as fit
  std::uint32_t inverters = 1;    // threads
  std::size_t batches = 0;        // in flight
  std::uint64_t batch_bytes = 0;  // of records, of one batch
  std::uint64_t parse = 0;        // shared by parsers for records that are not cheap
  std::uint64_t alone = 0;        // of a record alone, with the window of its file
  std::uint64_t ids = 0;          // of the id set: more ends the build
  std::uint64_t elastic = 0;      // postings, ids, windows, and what `alone` takes of it
  std::uint64_t drained = 0;      // what a record alone takes beside `elastic`: of batches and parsers, which are idle
  std::size_t frame_bytes = 0;    // of runs that are written
  std::size_t spool_bytes = 0;    // of a spool's buffer
  std::uint64_t flush_at = 0;     // resident bytes that make the inverters flush, were the sums above wrong
  std::uint64_t least_run = 0;    // bytes of an inverter below which that is not worth while
};
MemoryPlan plan_memory(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters,
                       std::uint32_t partitions = 1);

// While partitions are written.
struct WritePlan {
  std::uint32_t at_once = 1;  // partitions: each has a PartitionWriter, the runs' readers and the lists between them
  std::size_t id_bytes = 0;   // of a partition's ids, sorted in memory
};
WritePlan plan_writing(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads);

std::uint64_t resident_bytes();       // of this process now; 0 where the system does not say
std::uint64_t peak_resident_bytes();  // since it started

// Returns what the allocator holds for nothing to the system.
void release_unused_memory();

}  // namespace frond::indexer::pipeline
