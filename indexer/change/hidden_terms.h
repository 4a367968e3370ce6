#pragma once
// The terms of all documents that a change hides, on several threads.
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/terms/change_file.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/removed_terms.h"

namespace frond::indexer::change {

struct HiddenTerms {
  std::unique_ptr<partition::ChangeCursor> documents;  // by(): how many of all of them have a term
  std::map<std::size_t, RemovedTerms::Counts> counts;  // by number of partition
};

// `hidden`: as Change::hidden. Partitions are opened in folders of `scratch`, which are removed afterwards, and terms
// beyond kHeldTermBytes are kept there. Memory: as RemovedTerms, once. Errors: as RemovedTerms::add(), and of opening.
Result<HiddenTerms> hidden_terms(const CurrentGeneration& current,
                                 const std::map<std::size_t, std::vector<DocId>>& hidden,
                                 const std::filesystem::path& scratch);

}  // namespace frond::indexer::change
