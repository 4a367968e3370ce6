#pragma once
// Which documents of a partition a new generation hides. What a served generation hides already is taken from there, so
// the work is in proportion to the files of changes that are new, not to the partition or to all that is hidden.
#include <memory>
#include <span>

#include "common/base/result.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/partition/terms/change_file.h"
#include "common/repository/manifest.h"
#include "leaf/generation/served_generation.h"

namespace frond::leaf::generation {

struct Hidden {
  std::shared_ptr<const partition::HiddenDocuments> documents;  // null: none
  std::uint64_t tokens = 0;
};

// `entry`: of the new generation, whose files are `changes`; `opened` is its partition. kCorrupt: they are not those
// that the manifest counts.
Result<Hidden> hidden_of(const repository::PartitionEntry& entry, const OpenPartition& opened,
                         std::span<const partition::ChangesPtr> changes, const ServedSet& serving);

}  // namespace frond::leaf::generation
