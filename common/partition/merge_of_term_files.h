#pragma once
// Merges the terms of partitions by several threads: each takes the terms of one range after the other, and the caller
// gets them in order.
#include <functional>
#include <span>
#include <string_view>

#include "common/partition/term_statistics.h"

namespace frond::partition {

// As merge_terms(), from files that were not ingested. `visit` is called by this thread alone. Memory and threads as
// MergeMeans says.
Result<TermTotals> merge_terms_of_files(
    std::span<const FilesOfPartition> partitions, MergeMeans means,
    const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit);

}  // namespace frond::partition
