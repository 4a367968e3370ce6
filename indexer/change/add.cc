#include "indexer/change/add.h"

#include <algorithm>
#include <utility>

#include "common/partition/id_files.h"

namespace frond::indexer::change {

Result<repository::Manifest> publish_added(repository::RepositoryWriter& writer, CurrentGeneration& current,
                                           Addition addition, std::uint64_t& replaced, std::stop_token stop) {
  Change change;
  change.log_sequence = addition.log_sequence;
  std::vector<repository::PartitionEntry>& added = addition.partitions;
  const auto hide = [&](std::string_view id) -> Result<void> {
    const auto place = FROND_TRY(current.find(id));
    if (place) change.hidden[place->partition].push_back(place->docid);
    return {};
  };
  const Ordinal next = current.next_ordinal();
  for (std::size_t i = 0; i < added.size(); ++i) {
    added[i].base = next + i;
    added[i].stride = added.size();
    const auto ids = FROND_TRY(partition::IdFiles::open(writer.building() / added[i].id, added[i].summary.files));
    FROND_TRY(ids->for_each([&](std::string_view id, DocId) { return hide(id); }));
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  }
  for (const std::string& id : addition.removed_ids) FROND_TRY(hide(id));
  replaced = 0;
  for (auto& [partition, docids] : change.hidden) {
    std::sort(docids.begin(), docids.end());
    replaced += docids.size();
  }
  change.added = std::move(added);
  return publish_change(writer, current, change, std::move(stop));
}

}  // namespace frond::indexer::change
