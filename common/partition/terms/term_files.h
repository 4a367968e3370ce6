#pragma once
// Reads the terms of a partition from its files.
#include <filesystem>
#include <memory>
#include <span>

#include "common/partition/partition.h"

namespace frond::partition {

class Database;
std::unique_ptr<TermCursor> terms_of(std::shared_ptr<const Database> database);
// files: those of a PartitionSummary, in `folder`; files of other tables are skipped. Read buffered, one
// file open at a time: memory for its index (about a 150th of it), 256 KiB and a block. Errors name the folder;
// kNotFound if a file is gone.
std::unique_ptr<TermCursor> terms_of_files(const std::filesystem::path& folder, std::span<const PartitionFile> files);

}  // namespace frond::partition
