#pragma once
// The postings of a run on the device as slices of whole terms, and slices as runs.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/threads/bounded_queue.h"
#include "common/base/threads/parallel.h"
#include "indexer/invert/gpu/text/terms/term_numbers.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

// The postings of a run, terms one after the other.
struct TermOrder {
  std::span<const std::uint32_t> terms;   // numbers of terms, in byte order of the terms
  std::span<const std::uint32_t> totals;  // by number: postings
};

// Cuts the postings of a run, which come in pieces of any size, into slices of whole terms. One thread. Borrows the
// order.
class SliceFiller {
 public:
  using Take = std::function<Result<void>(runs::PostingSlice)>;
  // A slice ends with the term that reaches so many postings.
  SliceFiller(const TermOrder& order, std::size_t postings, Take take)
      : order_(order), most_(postings), take_(std::move(take)) {}
  // The next postings, in the order of terms. In a term, numbers do not descend; equal ones are one document. Errors of
  // `take`, which gets each slice when it is whole.
  Result<void> add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies);

 private:
  void begin_slice();
  const TermOrder order_;
  const std::size_t most_;
  const Take take_;
  runs::PostingSlice slice_;
  std::size_t expected_ = 0;  // postings of the slice; 0: none was begun
};

// Writes the slices of a run by several threads: each has runs of its own, and takes the next slice when it has written
// one. So the terms of each run ascend, and none is in two of them. A slice of one frequent term takes much longer than
// others. One thread calls; borrows the constructor's arguments.
class RunSlices {
 public:
  static constexpr std::size_t kSlicePostings = std::size_t{1} << 15;  // as many slices wait as threads write
  static constexpr std::uint32_t kMaxThreads = 12;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{16} << 20;  // of all threads' runs, if it is not one thread

  // Thread i writes runs as a PartitionRuns of label "<label>-<i>". `base` is added to all numbers.
  RunSlices(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
            std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
            const TermOrder& order);
  ~RunSlices() { slices_.close(); }
  RunSlices(const RunSlices&) = delete;
  RunSlices& operator=(const RunSlices&) = delete;

  // The next slice. kUnavailable: the disk.
  Result<void> add(runs::PostingSlice slice) {
    return slices_.push(std::move(slice), error_.token()) ? Result<void>() : error_.result();
  }
  // After all slices. Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  static std::uint32_t writers(std::uint32_t threads, std::uint32_t partitions, std::size_t frame_bytes);
  Result<void> run(PartitionRuns& runs);
  Result<void> write(const runs::PostingSlice& slice, PartitionRuns& runs) const;

  const DocumentNumber base_;
  const TermNumbers& names_;
  const TermOrder order_;
  FirstError error_;
  std::vector<PartitionRuns> runs_;  // by thread
  BoundedQueue<runs::PostingSlice> slices_;
  ThreadGroup threads_{error_};  // last: they use the others
};

}  // namespace frond::indexer::invert::gpu
