#pragma once
// What `frond-indexer add` and `remove` publish: the current generation with more documents, or without some.
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/open_writer.h"

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

struct RemovalSummary {
  std::uint64_t removed = 0, unknown = 0, repeated = 0;  // ids: of documents, of none, given before
  std::string an_unknown;                                // the first of these
  std::optional<repository::Manifest> published;         // none if no id is of a document: nothing is changed
};

// `next_id` gives the ids one by one, then nothing; its errors end the removal. Nothing is changed after an error.
// kNotFound: the collection has no generation; kUnavailable: another writer holds it, the disk, or stopped.
Result<RemovalSummary> remove_documents(const ChangeOptions& options,
                                        const std::function<Result<std::optional<std::string>>()>& next_id,
                                        std::stop_token stop);

}  // namespace frond::indexer::change
