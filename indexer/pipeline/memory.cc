#include "indexer/pipeline/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace frond::indexer {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kProgram = 48 * kMiB;            // code, libraries, stacks
constexpr std::uint64_t kPartitionWriting = 160 * kMiB;  // of one partition
// A batch in flight holds its records, its tokens, and its compressed fields.
constexpr std::uint64_t kBatchFactor = 3;

}  // namespace

MemoryPlan plan_memory(std::uint64_t limit, std::uint32_t parsers, std::uint32_t inverters) {
  MemoryPlan plan;
  plan.limit = limit;
  plan.batches = 2 * std::size_t{parsers} + 3;
  plan.batch_bytes =
      std::clamp<std::uint64_t>(limit / 8 / kBatchFactor / (plan.batches + parsers), kMiB / 16, 2 * kMiB);
  plan.flush_at = limit - std::max<std::uint64_t>(limit / 10, 24 * kMiB);
  const std::uint64_t elsewhere = kProgram + plan.batch_bytes * kBatchFactor * (plan.batches + parsers);
  plan.least_run = 4 * kMiB * inverters;
  plan.postings = std::max(plan.least_run, plan.flush_at > elsewhere ? plan.flush_at - elsewhere : 0);
  plan.ids = limit / 2;
  return plan;
}

std::uint32_t partitions_at_once(std::uint64_t limit, std::uint32_t partitions, std::uint32_t threads) {
  const std::uint64_t fit = limit > kProgram ? (limit - kProgram) / kPartitionWriting : 0;
  // Two threads work on each.
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, std::min<std::uint64_t>({fit, partitions, (threads + 1) / 2})));
}

std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long size = 0, resident = 0;
  const bool read = std::fscanf(file, "%llu %llu", &size, &resident) == 2;
  std::fclose(file);
  return read ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t peak_resident_bytes() {
  struct rusage usage {};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void release_unused_memory() { ::malloc_trim(0); }

}  // namespace frond::indexer
