#pragma once
// The last step of `frond-indexer add`: publishes new partitions with the current ones.
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/change/change_publication.h"

namespace frond::indexer::change {

struct Addition {
  std::vector<repository::PartitionEntry> partitions;  // of one build, documents dealt round-robin
  std::vector<std::string> removed_ids;                // of documents to hide; none of them is added
  std::uint64_t log_sequence = 0;                      // see Change
  std::string log_id = {};
};

// Hides the documents of the current generation that have an id of those added or removed, places the new ones behind
// all others and publishes. Base and stride of the new partitions are set here. `replaced` counts the documents hidden.
// Errors as publish_change().
Result<repository::Manifest> publish_added(repository::RepositoryWriter& writer, CurrentGeneration& current,
                                           Addition addition, std::uint64_t& replaced, std::stop_token stop);

}  // namespace frond::indexer::change
