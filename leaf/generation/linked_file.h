#pragma once
// Published files that a leaf beside its repository links instead of copying: one file on the disk under two names
// (hard links). Published files never change, and a leaf only reads, renames and removes its own, so neither side harms
// the other; what a pruned repository removes stays as long as the leaf has it. But a block that the disk damages is
// damaged for both. Any thread.
#include <filesystem>

#include "common/partition/partition_writer.h"

namespace frond::leaf::generation {

// Whether both folders are on one file system, so that links between them may be made.
bool can_link(const std::filesystem::path& from, const std::filesystem::path& to);

// Gives `from` the name `to` as well, if it is a regular file with the size and the checksum that are expected, which
// reads all of it. False: it is not, or no link can be made; then there is no file `to`.
bool link_verified(const std::filesystem::path& from, const partition::PartitionFile& expected,
                   const std::filesystem::path& to);

}  // namespace frond::leaf::generation
