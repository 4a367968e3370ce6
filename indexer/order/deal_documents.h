#pragma once
// The stored fields of a collection in input order, dealt to partitions in another order. They do not fit into memory,
// so they go through files: each holds the documents of a range of places, and is sorted in memory.
#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "indexer/order/deal_runs.h"

namespace frond::indexer::order {

// A spool in input order to one a partition, in dealing.folder. kCorrupt names the file, kInvalid: more than
// dealing.memory and kMostRanges files allow; kUnavailable: the disk, or stopped.
Result<std::vector<std::filesystem::path>> deal_documents(const std::filesystem::path& spool, const Dealing& dealing);
inline constexpr std::size_t kMostRanges = 256;  // all open at once

}  // namespace frond::indexer::order
