#pragma once
// The postings that inverters of a CPU have kept in memory (invert/held_chains.h), dealt to the partitions, which are
// all written at the same time. A thread for each inverter, "order-i", puts its terms in order; the caller's thread
// puts those of all inverters in order; threads of the pool decode postings and deal them.
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
// unless it is null. No two of `held` have the same term; all are read to their ends. One thread. Errors:
// WrittenTerms::put()'s; kUnavailable: no memory, or stopped. Then no queue is closed.
Result<void> deal_chains(const std::vector<std::unique_ptr<invert::HeldChains>>& held,
                         std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms, TaskPool& pool,
                         std::stop_token stop);

}  // namespace frond::indexer::publish
