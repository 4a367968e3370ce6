#pragma once
// Writes the postings of a run by several threads: each writes runs of its own, and takes the next slice of terms when
// it has written one. So the terms of each run ascend, and none is in two of them. A slice of one frequent term takes
// much longer than others.
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/base/bounded_queue.h"
#include "indexer/invert/gpu/text/slice_filler.h"
#include "indexer/invert/gpu/text/term_numbers.h"
#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert::gpu {

// One thread, which begins others. Borrows its constructor's arguments.
class SlicedRuns {
 public:
  // A slice ends with the term that reaches so many postings. There are two for each thread, of 256 KiB.
  static constexpr std::size_t kSlicePostings = std::size_t{1} << 15;
  static constexpr std::uint32_t kMaxThreads = 12;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{16} << 20;  // of all threads' runs, if it is not one thread

  // Thread i writes runs as a PartitionRuns of label "<label>-<i>". `base` is added to all numbers.
  SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
             std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
             const TermOrder& order);
  ~SlicedRuns();
  SlicedRuns(const SlicedRuns&) = delete;
  SlicedRuns& operator=(const SlicedRuns&) = delete;

  // The next postings in the order of terms. In a term, numbers do not descend; equal ones are one document.
  // kUnavailable: the disk.
  Result<void> add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies);
  // After all postings. Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  using Slice = runs::PostingSlice;
  struct Writer {
    explicit Writer(PartitionRuns made) : runs(std::move(made)) {}
    PartitionRuns runs;
    Result<void> written;  // the thread's until it is joined
    std::jthread thread;   // last, so that it ends before the others
  };
  void begin_slice();
  void run(Writer& writer);
  Result<void> end_writers();
  Result<void> write(const Slice& slice, PartitionRuns& runs) const;

  DocumentNumber base_;
  const TermNumbers& names_;
  const TermOrder& order_;
  std::deque<Slice> slices_;  // two for each writer
  BoundedQueue<Slice*> full_, empty_;
  SliceFiller filler_;
  Slice* slice_ = nullptr;                        // the one that is filled
  std::atomic<bool> failed_ = false;              // a writer has failed
  std::vector<std::unique_ptr<Writer>> writers_;  // last, so that their threads end before the others
};

}  // namespace frond::indexer::invert::gpu
