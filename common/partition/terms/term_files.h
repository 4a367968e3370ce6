#pragma once
// Reads the terms of a partition from its files.
#include <filesystem>
#include <memory>
#include <span>

#include "common/partition/partition.h"

namespace frond::partition {

class Database;
std::unique_ptr<TermCursor> terms_of(std::shared_ptr<const Database> database);
// files: those of a PartitionSummary, in `folder`; files of other tables are skipped. Read buffered: memory for the
// indexes of those that were reached (about a 150th of the files, 4 MiB at most) and a block. Errors name the folder.
std::unique_ptr<TermCursor> terms_of_files(const std::filesystem::path& folder, std::span<const PartitionFile> files);

}  // namespace frond::partition
