#pragma once
// removed_terms() of all partitions in which a change hides documents, on several threads.
#include <cstddef>
#include <filesystem>
#include <map>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/removed_terms.h"

namespace frond::indexer::change {

// By number of partition. `hidden`: as Change::hidden. Partitions are opened in folders of `scratch`, which are removed
// afterwards. Memory: as removed_terms(), once. Errors: as removed_terms(), and of opening.
Result<std::map<std::size_t, RemovedTerms>> hidden_terms(const CurrentGeneration& current,
                                                         const std::map<std::size_t, std::vector<DocId>>& hidden,
                                                         const std::filesystem::path& scratch);

}  // namespace frond::indexer::change
