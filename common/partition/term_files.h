#pragma once
// The terms of a partition that is not a database yet, read from its files.
#include <filesystem>
#include <memory>
#include <span>

#include "common/partition/partition.h"

namespace frond::partition {

// `files` are those of a PartitionSummary, in `folder`; files of other tables are passed over. Buffered, one file open
// at a time: holds its index (about a 150th of the file, 2 MiB at most) and a block. Errors name the file.
std::unique_ptr<TermCursor> terms_of_files(const std::filesystem::path& folder, std::span<const PartitionFile> files);

}  // namespace frond::partition
