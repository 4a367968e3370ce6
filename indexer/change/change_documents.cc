#include "indexer/change/change_publication.h"

#include <algorithm>
#include <utility>

#include "common/partition/published_partition.h"
#include "common/repository/disk_space.h"

namespace frond::indexer::change {
namespace {

// Looks up the ids of documents that are to be hidden, many at a time.
class Hiding {
 public:
  Hiding(CurrentGeneration& current, const std::string& log_id)
      : current_(current),
        // A service, which has a log, changes the collection again and again.
        how_(log_id.empty() ? CurrentGeneration::Ids::kRanges : CurrentGeneration::Ids::kKept) {}

  Result<void> add(std::string id) {
    constexpr std::size_t kBytesOfAnId = sizeof(std::string) + 64;  // what looking it up takes beside its text
    constexpr std::size_t kIdBytesAtOnce = std::size_t{4} << 20;
    bytes_ += kBytesOfAnId + id.size();
    ids_.push_back(std::move(id));
    return bytes_ < kIdBytesAtOnce ? Result<void>() : look_up();
  }
  // Sets Change::hidden. Gives how many documents it hides.
  Result<std::uint64_t> finish(Change& change) {
    FROND_TRY(look_up());
    std::uint64_t documents = 0;
    for (auto& [partition, docids] : found_) {
      keep_once(docids);
      documents += docids.size();
    }
    change.hidden = std::move(found_);
    return documents;
  }

  std::uint64_t found() const { return ids_found_; }
  std::uint64_t unknown() const { return unknown_; }
  const std::string& an_unknown() const { return an_unknown_; }

 private:
  static void keep_once(std::vector<DocId>& docids) {
    std::sort(docids.begin(), docids.end());
    docids.erase(std::unique(docids.begin(), docids.end()), docids.end());
  }

  Result<void> look_up() {
    const auto places = FROND_TRY(current_.find_each(ids_, how_));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!places[i]) {
        if (unknown_++ == 0) an_unknown_ = ids_[i];
        continue;
      }
      found_[places[i]->partition].push_back(places[i]->docid);
      ++ids_found_;
    }
    // Ids that are given again and again take no more memory than the partitions have documents.
    for (auto& [partition, docids] : found_)
      if (docids.size() > 2 * current_.manifest().partitions[partition].summary.documents) keep_once(docids);
    ids_.clear();
    bytes_ = 0;
    return {};
  }

  CurrentGeneration& current_;
  const CurrentGeneration::Ids how_;
  std::vector<std::string> ids_;
  std::size_t bytes_ = 0;                            // of ids_
  std::map<std::size_t, std::vector<DocId>> found_;  // by partition
  std::uint64_t ids_found_ = 0, unknown_ = 0;
  std::string an_unknown_;
};

}  // namespace

Result<repository::Manifest> publish_added(repository::RepositoryWriter& writer, CurrentGeneration& current,
                                           Addition addition, std::uint64_t& replaced, std::stop_token stop) {
  Change change;
  Hiding hiding(current, addition.log_id);
  change.log_sequence = addition.log_sequence;
  change.log_id = std::move(addition.log_id);
  change.schema = std::move(addition.schema);
  for (std::string& id : addition.removed_ids) FROND_TRY(hiding.add(std::move(id)));
  change.added = std::move(addition.partitions);
  const Ordinal next = current.next_ordinal();
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    repository::PartitionEntry& added = change.added[i];
    added.base = next + i;
    added.stride = change.added.size();
    partition::IdFiles ids(writer.building() / added.id, added.summary.files);
    FROND_TRY(ids.for_each([&](std::string_view id, DocId) { return hiding.add(std::string(id)); }));
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  }
  replaced = FROND_TRY(hiding.finish(change));
  return publish_change(writer, current, change, std::move(stop));
}

Result<RemovalSummary> remove_documents(const ChangeOptions& options,
                                        const std::function<Result<std::optional<std::string>>()>& next_id,
                                        std::stop_token stop) {
  const auto writer = FROND_TRY(open_writer(options, stop, options.patience));
  FROND_TRY(repository::expect_room(writer->building(), 0, options.disk_reserve, "removing"));
  const auto current = FROND_TRY(CurrentGeneration::open(*writer));
  Change change;
  change.log_sequence = options.log_sequence;
  change.log_id = options.log_id;
  Hiding hiding(*current, options.log_id);
  while (auto id = FROND_TRY(next_id())) {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    FROND_TRY(hiding.add(*std::move(id)));
  }
  RemovalSummary summary;
  summary.removed = FROND_TRY(hiding.finish(change));
  summary.unknown = hiding.unknown();
  summary.repeated = hiding.found() - summary.removed;
  summary.an_unknown = hiding.an_unknown();
  if (summary.removed > 0) summary.published = FROND_TRY(publish_change(*writer, *current, change, std::move(stop)));
  return summary;
}

}  // namespace frond::indexer::change
