#pragma once
// Reads the arrays of numbers that table `arrays` holds. Internal to this folder.
#include <cstdint>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/database.h"
#include "common/partition/records.h"

namespace frond::partition {

// Errors: kCorrupt if the array contradicts the summary; kUnavailable.

// The lengths of all documents, in tokens.
Result<std::vector<std::uint32_t>> read_lengths(const Database& database, const PartitionSummary& summary);
// The first docID of each block of stored fields; empty for partitions written before this array existed.
Result<std::vector<DocId>> read_block_starts(const Database& database, const SummaryRecord& record);
// The first docID of each chunk of heads; empty for partitions written before there were heads.
Result<std::vector<DocId>> read_head_starts(const Database& database, const PartitionSummary& summary);

// The term digests of all documents; empty for partitions without any.
Result<std::vector<std::uint64_t>> read_term_digests(const Database& database, const PartitionSummary& summary);

// The static priors of all documents; empty, and nothing is read, for partitions without any.
Result<std::vector<scoring::Prior>> read_priors(const Database& database, const SummaryRecord& record);

}  // namespace frond::partition
