#pragma once
// Writes the postings of a run by several threads: each writes runs of its own, and gets the terms of every n-th slice.
// So the terms of each run ascend, and none is in two of them. While slices are written, the next ones are filled.
#include <array>
#include <cstdint>
#include <filesystem>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "indexer/invert/gpu/text/term_numbers.h"
#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert::gpu {

// The postings of a run, terms one after the other.
struct TermOrder {
  std::span<const std::uint32_t> terms;   // numbers of terms, in byte order of the terms
  std::span<const std::uint32_t> totals;  // by number: postings
};

// One thread, which begins others. Borrows its constructor's arguments.
class SlicedRuns {
 public:
  // A slice ends with the term that reaches so many postings. Each thread has two, of 256 KiB.
  static constexpr std::size_t kSlicePostings = std::size_t{1} << 15;
  static constexpr std::uint32_t kMaxThreads = 8;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{16} << 20;  // of all threads' runs, if it is not one thread

  // Thread i writes runs as a PartitionRuns of label "<label>-<i>". `base` is added to all numbers.
  SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
             std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads, const TermNumbers& names,
             const TermOrder& order);

  // The next postings in the order of terms. In a term, numbers do not descend; equal ones are one document.
  // kUnavailable: the disk.
  Result<void> add(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies);
  // After all postings. Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  // Terms [first, end) of the order, with so many postings.
  struct Slice {
    std::size_t first = 0, end = 0, postings = 0;
    std::vector<std::uint32_t> numbers;
    std::vector<Frequency> frequencies;
  };
  void begin_slice();
  Result<void> begin_writing();
  Result<void> end_writing();
  Result<void> write(const Slice& slice, PartitionRuns& runs) const;

  DocumentNumber base_;
  const TermNumbers& names_;
  const TermOrder& order_;
  std::vector<PartitionRuns> runs_;  // by thread, as the slices of a set
  std::array<std::vector<Slice>, 2> sets_;
  std::size_t set_ = 0, slice_ = 0;    // the one that is filled
  std::size_t next_ = 0;               // of the order: the first term behind it
  std::future<Result<void>> writing_;  // the other set; last, so that it ends before the others
};

}  // namespace frond::indexer::invert::gpu
