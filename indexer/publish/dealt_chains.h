#pragma once
// The postings that inverters of a CPU have kept in memory (invert/held_chains.h), dealt to the partitions, which are
// all written at the same time. Threads of the pool put ranges of terms in order (invert/term_ranges.h), decode the
// postings of slices of these, and deal them; the caller's thread cuts the slices and gives on what was dealt.
#include <memory>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "indexer/invert/held_chains.h"
#include "indexer/publish/dealt_postings.h"
#include "indexer/publish/task_pool.h"
#include "indexer/publish/written_terms.h"

namespace frond::indexer::publish {

// Gives the groups of partition p to `to[p]`, in order, and closes that queue behind them; and all terms to `terms`,
// unless it is null. No two of `held` have the same term; none was read before. postings_at_a_time: of slices that are
// being dealt, or one slice. A term is in one slice, so with few of them at a time most threads have nothing to do
// where terms have many. One thread. Errors: WrittenTerms::put()'s; kUnavailable: no memory, or stopped. Then no queue
// is closed.
Result<void> deal_chains(const std::vector<std::unique_ptr<invert::HeldChains>>& held,
                         std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms, TaskPool& pool,
                         std::uint64_t postings_at_a_time, std::stop_token stop);

}  // namespace frond::indexer::publish
