#pragma once
// Publishes a changed collection: the current generation's partitions with some more, some documents hidden, or some
// partitions replaced by what was made of their documents. Statistics are those of what remains, exactly.
//
// Document frequencies are written as what the change adds and takes (common/partition/terms/change_file.h). Files of
// changes are merged as they grow: with the newest one those before it that are less than twice as large. So they are
// few, and a change is rewritten a logarithmic number of times. When all changes together are larger than a quarter of
// the base, all document frequencies are written anew.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/partition/terms/change_file.h"
#include "common/repository/repository.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/waiting.h"

namespace frond::indexer::change {

struct Change {
  // New partitions; their files are in the writer's building()/<id>. Their documents are new.
  std::vector<repository::PartitionEntry> added;
  // Documents that are hidden from now on, by their partition's number in the current generation. Ascending; not hidden
  // yet. Of partitions that stay.
  std::map<std::size_t, std::vector<DocId>> hidden;
  // Partitions, by number, which are left out, since `merged` has their documents that are not hidden. Those of
  // merged[p] take the place of p, which is one of `replaced`: so few others change their numbers, by which leaves
  // share them.
  std::set<std::size_t> replaced;
  // Their files are in building()/<id>, or published already, and were opened once. Those with hidden documents count
  // them in `hidden`; the documents are in `hidden_in_merged`, and were hidden in the current generation, too.
  std::map<std::size_t, std::vector<repository::PartitionEntry>> merged;
  partition::HiddenByPartition hidden_in_merged;
  // Manifest::log_sequence from now on; 0: as it is.
  std::uint64_t log_sequence = 0;
  std::string log_id = {};  // of the log that this is a number of
  // Of what is added, and Manifest::schema from now on; extends that of the collection. Empty: it is as it is.
  std::string schema = {};
};

// kInvalid: change.schema does not extend the collection's, or it has none; kCorrupt: the sums of what is added or
// taken away do not agree; kUnavailable: the disk, or stopped before the first irreversible step. Then nothing is
// changed. Gives the manifest as published.
Result<repository::Manifest> publish_change(repository::RepositoryWriter& writer, const CurrentGeneration& current,
                                            const Change& change, std::stop_token stop);

struct Addition {
  std::vector<repository::PartitionEntry> partitions;  // of one build, documents assigned round-robin
  std::vector<std::string> removed_ids;                // of documents to hide; none of them is added
  std::uint64_t log_sequence = 0;                      // see Change
  std::string log_id = {};
  std::string schema = {};
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
