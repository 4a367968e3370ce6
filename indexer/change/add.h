#pragma once
// The last step of `frond-indexer add`: publishes new partitions with the current ones.
#include <cstdint>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "indexer/change/change_publication.h"

namespace frond::indexer::change {

// Hides the documents of the current generation that have an id of `added`, places the new ones behind all others and
// publishes. `added`: of one build, documents dealt round-robin; base and stride are set here. `replaced` counts the
// documents hidden. Errors as publish_change().
Result<repository::Manifest> publish_added(repository::RepositoryWriter& writer, CurrentGeneration& current,
                                           std::vector<repository::PartitionEntry> added, std::uint64_t& replaced,
                                           std::stop_token stop);

}  // namespace frond::indexer::change
