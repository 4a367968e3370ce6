#pragma once
// Deals the stored fields of a collection, which are in input order, to partitions in another order. They do not fit
// into memory, so they go through files: each holds the documents of a range of places, and is sorted in memory.
#include <filesystem>
#include <vector>

#include "common/base/result.h"
#include "indexer/order/deal_runs.h"

namespace frond::indexer::order {

// Turns a spool in input order into one spool a partition, in dealing.folder. kCorrupt: the message names the file;
// kInvalid: more documents than dealing.memory and kMaxRanges files allow; kUnavailable: the disk, or stopped.
Result<std::vector<std::filesystem::path>> deal_documents(const std::filesystem::path& spool, const Dealing& dealing);
inline constexpr std::size_t kMaxRanges = 256;  // all open at once

}  // namespace frond::indexer::order
