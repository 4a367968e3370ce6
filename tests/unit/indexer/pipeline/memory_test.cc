// The memory limit's parts fit into it.
#include "indexer/pipeline/memory.h"

#include <gtest/gtest.h>

namespace frond::indexer {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(MemoryPlan, FitsIntoItsLimitForAnyNumberOfThreads) {
  for (const std::uint64_t limit : {128 * kMiB, 512 * kMiB, 4096 * kMiB})
    for (const std::uint32_t threads : {1u, 2u, 16u, 128u}) {
      const MemoryPlan plan = plan_memory(limit, threads, threads);
      EXPECT_LT(plan.flush_at, limit);
      EXPECT_GE(plan.batch_bytes, 64u << 10);
      EXPECT_GT(plan.batches, threads);
      EXPECT_GE(plan.postings, plan.least_run);
      if (threads <= 16) {
        EXPECT_LE(plan.postings + plan.batches * plan.batch_bytes, limit) << limit << ' ' << threads;
      }
    }
}

TEST(MemoryPlan, WritesOnePartitionAtATimeWhereMemoryIsShort) {
  EXPECT_EQ(partitions_at_once(128 * kMiB, 16, 64), 1u);
  EXPECT_EQ(partitions_at_once(64 * 1024 * kMiB, 16, 8), 4u);
  EXPECT_EQ(partitions_at_once(64 * 1024 * kMiB, 2, 64), 2u);
}

TEST(Memory, IsWhatTheSystemSays) {
  EXPECT_GT(resident_bytes(), 1 * kMiB);
  EXPECT_GE(peak_resident_bytes() + kMiB, resident_bytes());
}

}  // namespace
}  // namespace frond::indexer
