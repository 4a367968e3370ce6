#pragma once
// Writes the postings of a run by several threads: each writes runs of its own, and gets the terms of every n-th slice.
// So the terms of each run ascend, and none is in two of them.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert::gpu {

// One thread, which begins others.
class SlicedRuns {
 public:
  // A slice ends with the term that reaches so many postings. Each thread has one, 512 KiB.
  static constexpr std::size_t kSlicePostings = std::size_t{1} << 16;
  static constexpr std::uint32_t kMaxThreads = 8;
  static constexpr std::uint64_t kRunBytes = std::uint64_t{16} << 20;  // of all threads' runs, if it is not one thread

  // Thread i writes runs as a PartitionRuns of label "<label>-<i>". `base` is added to all numbers.
  SlicedRuns(const std::filesystem::path& folder, const std::string& label, std::uint32_t partitions,
             std::size_t frame_bytes, DocumentNumber base, std::uint32_t threads);

  // A part of a term's postings. Numbers do not descend; equal ones are one document. Terms ascend.
  void add(std::string_view term, std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies);
  // kUnavailable: the disk.
  Result<void> end_term();
  // Appends the finished runs.
  Result<void> finish(std::vector<runs::RunFile>& to);

 private:
  struct Slice {
    struct Term {
      std::size_t text_end, postings_end;
    };
    std::string text;
    std::vector<Term> terms;
    std::vector<std::uint32_t> numbers;
    std::vector<Frequency> frequencies;
    void clear();
  };
  Result<void> write_slices();
  Result<void> write(const Slice& slice, PartitionRuns& runs) const;

  DocumentNumber base_;
  std::vector<PartitionRuns> runs_;  // by thread, as slices_
  std::vector<Slice> slices_;
  std::size_t slice_ = 0;  // the one that is filled
  bool in_term_ = false;
};

}  // namespace frond::indexer::invert::gpu
