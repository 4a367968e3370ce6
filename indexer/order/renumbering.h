#pragma once
// Gives the postings and the stored fields of a collection, which are in input order, to partitions in another order.
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::order {

// Document n of the input becomes document places[n] of the collection, which is docID places[n] / partitions of
// partition places[n] mod partitions.
struct Renumbering {
  std::span<const std::uint32_t> places;  // a permutation
  std::uint32_t partitions = 1;
  std::uint64_t memory = 0;  // bytes of documents held at a time; the buffers of files take about half as much more
  const std::filesystem::path& folder;
  std::stop_token stop;
};

// Turns at most kMaxFanIn runs of partition 0 into one run a partition that has postings, in how.folder. Holds the
// longest list. kCorrupt: the message names the run; kUnavailable: the disk, or stopped.
Result<std::vector<runs::RunFile>> renumber_runs(std::span<const std::filesystem::path> runs, const Renumbering& how);

// Turns a spool in input order into one spool a partition, in how.folder. Stored fields do not fit into memory, so
// they go through files: each holds the documents of a range of places, and is sorted in memory. kCorrupt: the message
// names the file; kInvalid: more documents than how.memory and kMaxRanges files allow; kUnavailable: the disk, or
// stopped.
Result<std::vector<std::filesystem::path>> renumber_documents(const std::filesystem::path& spool,
                                                              const Renumbering& how);
inline constexpr std::size_t kMaxRanges = 256;  // all open at once

}  // namespace frond::indexer::order
