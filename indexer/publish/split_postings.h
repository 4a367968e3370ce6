#pragma once
// Postings that were not written to runs, on a device or in the memory of inverters, split to the partitions, which are
// all written at the same time. They come as slices: terms that follow each other, with all postings of each. Threads
// of the pool split slices; one thread gives on what each partition has of them.
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/threads/bounded_queue.h"
#include "common/base/threads/task_pool.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/publish/list_stream.h"
#include "indexer/publish/term_statistics.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::publish {

// Postings on their way from where they are read to where lists are built.
using Group = std::shared_ptr<const PostingGroup>;
using Groups = BoundedQueue<Group>;

struct SplitSlice {
  struct Term {
    std::string_view text;
    std::uint64_t document_frequency = 0, occurrences = 0;  // in all partitions
  };
  std::vector<std::vector<PostingGroup>> groups;  // by partition
  std::vector<Term> terms;
  std::shared_ptr<const void> memory;  // of their texts; null: they outlive this
};

// Where slices go. One thread. After an error, or when it is stopped (kUnavailable), no queue is closed.
class SplitPostings {
 public:
  // Partition p has the queue to[p]. All terms go to `terms`, unless it is null. most_postings: of slices that are
  // being split, or one slice: a term is in one slice, so with few of them at a time most threads have nothing to do
  // where terms have many postings. Borrows all.
  SplitPostings(std::vector<std::unique_ptr<Groups>>& to, TermsWriter* terms, TaskPool& pool,
                std::uint64_t most_postings, std::stop_token stop)
      : to_(to), terms_(terms), stop_(std::move(stop)), tasks_(pool, most_postings) {}

  std::uint32_t partitions() const { return static_cast<std::uint32_t>(to_.size()); }
  // Has the next slice split by a thread of the pool; gives on earlier ones while there is too much. Errors as
  // TermsWriter::put().
  Result<void> add(std::uint64_t postings, std::function<SplitSlice()> split);
  // Gives on the oldest slice that is not, unless empty().
  bool empty() const { return tasks_.empty(); }
  Result<void> give_on();
  // After the last slice: gives on all, and closes the queues.
  Result<void> finish();

 private:
  std::vector<std::unique_ptr<Groups>>& to_;
  TermsWriter* const terms_;
  const std::stop_token stop_;
  OrderedTasks<SplitSlice> tasks_;
};

// Splits what is on a device. Errors as PostingSlices::read() and SplitPostings::add().
Result<void> split_slices(runs::PostingSlices& from, SplitPostings& to);

// Splits what inverters on a CPU have in memory (invert/in_memory_postings.h) to the partitions. Threads of the pool
// put ranges of terms in order (invert/in_memory_postings.h), and decode the postings of slices of these.

// No two of `from` have the same term; none was read before. One thread. Errors as SplitPostings::add(); kUnavailable
// also: no memory.
Result<void> split_in_memory(const std::vector<std::unique_ptr<invert::InMemoryPostings>>& from, TaskPool& pool,
                             SplitPostings& to);

}  // namespace frond::indexer::publish
