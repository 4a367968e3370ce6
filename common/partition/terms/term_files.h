#pragma once
// Reads the terms of a partition from its files, without ingesting them.
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "common/partition/partition.h"
#include "common/partition/terms/term_statistics.h"

namespace frond::partition {

// One thread.
class TermFilesCursor : public TermCursor {
 public:
  // The next call of next() moves to the first term that is not less than `first`, if there is one. Goes forward only:
  // `first` is not less than the current term.
  virtual Result<void> seek(std::string_view first) = 0;
};

// files: those of a PartitionSummary, in `folder`; files of other tables are skipped. One file is open at a time, read
// buffered: memory for its index (about a 150th of the file, 2 MiB at most) and a block. Errors name the file.
std::unique_ptr<TermFilesCursor> terms_of_files(const std::filesystem::path& folder,
                                                std::span<const PartitionFile> files);

// Merges the terms of partitions by several threads: each takes the terms of one range after the other, and the caller
// gets them in order.

// As merge_terms(), from files that were not ingested. `visit` is called by this thread alone. Memory and threads as
// MergeMeans says.
Result<TermTotals> merge_terms_of_files(
    std::span<const FilesOfPartition> partitions, MergeMeans means,
    const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);

}  // namespace frond::partition
