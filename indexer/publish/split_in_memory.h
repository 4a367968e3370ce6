#pragma once
// Splits what inverters on a CPU have in memory (invert/in_memory_postings.h) to the partitions. Threads of the pool
// put ranges of terms in order (invert/term_ranges.h), and decode the postings of slices of these.
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/base/task_pool.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/publish/split_postings.h"

namespace frond::indexer::publish {

// No two of `from` have the same term; none was read before. One thread. Errors as SplitPostings::add(); kUnavailable
// also: no memory.
Result<void> split_in_memory(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool,
                             SplitPostings& to);

}  // namespace frond::indexer::publish
