#pragma once
// The postings that an inverter of texts has kept (runs/posting_slices.h), dealt to the partitions, which are all
// written at the same time. One thread reads slices, threads of the pool deal them.
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "indexer/pipeline/bounded_queue.h"
#include "indexer/publish/list_stream.h"
#include "indexer/publish/task_pool.h"
#include "indexer/publish/written_terms.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::publish {

// Postings on their way from where they are read to where lists are built.
using Group = std::shared_ptr<const PostingGroup>;
using Groups = pipeline::BoundedQueue<Group>;

// A slice's postings, dealt.
struct DealtSlice {
  struct Statistics {  // of a term, in all partitions
    std::uint64_t occurrences = 0;
    std::uint32_t document_frequency = 0;
  };
  std::vector<std::vector<PostingGroup>> groups;  // by partition
  std::vector<Statistics> terms;                  // from slice.first
};
// Any thread.
DealtSlice deal(const runs::PostingSlices& from, const runs::PostingSlice& slice, std::uint32_t partitions);

// Gives the groups of partition p to `to[p]`. kUnavailable: stopped.
Result<void> give_groups(std::vector<std::vector<PostingGroup>> groups, std::vector<std::unique_ptr<Groups>>& to,
                         const std::stop_token& stop);

// Gives the groups of partition p to `to[p]`, in order, and closes that queue behind them; and all terms to `terms`,
// unless it is null. One thread. Errors as PostingSlices::read() and WrittenTerms::put(): then, or when it is stopped,
// no queue is closed.
Result<void> deal_postings(runs::PostingSlices& from, std::vector<std::unique_ptr<Groups>>& to, WrittenTerms* terms,
                           TaskPool& pool, std::stop_token stop);

}  // namespace frond::indexer::publish
