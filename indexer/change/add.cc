#include "indexer/change/add.h"

#include <algorithm>
#include <utility>

#include "common/partition/published_partition.h"

namespace frond::indexer::change {
namespace {

// Looks the ids up, and forgets them.
Result<void> hide_all(CurrentGeneration& current, std::vector<std::string>& ids, CurrentGeneration::Ids how,
                      Change& change) {
  for (const auto& [partition, docids] : FROND_TRY(current.find_all(ids, how))) {
    auto& all = change.hidden[partition];
    all.insert(all.end(), docids.begin(), docids.end());
  }
  ids.clear();
  return {};
}

}  // namespace

Result<repository::Manifest> publish_added(repository::RepositoryWriter& writer, CurrentGeneration& current,
                                           Addition addition, std::uint64_t& replaced, std::stop_token stop) {
  Change change;
  // A service, which has a log, changes the collection again and again.
  const auto how = addition.log_id.empty() ? CurrentGeneration::Ids::kRanges : CurrentGeneration::Ids::kKept;
  change.log_sequence = addition.log_sequence;
  change.log_id = std::move(addition.log_id);
  std::vector<repository::PartitionEntry>& added = addition.partitions;
  std::vector<std::string> hidden = std::move(addition.removed_ids);
  if (!hidden.empty()) FROND_TRY(hide_all(current, hidden, how, change));
  std::size_t bytes = 0;
  const auto hide = [&](std::string_view id) -> Result<void> {
    hidden.emplace_back(id);
    bytes += kBytesOfAnId + id.size();
    if (bytes < kIdBytesAtOnce) return {};
    bytes = 0;
    return hide_all(current, hidden, how, change);
  };
  const Ordinal next = current.next_ordinal();
  for (std::size_t i = 0; i < added.size(); ++i) {
    added[i].base = next + i;
    added[i].stride = added.size();
    partition::IdFiles ids(writer.building() / added[i].id, added[i].summary.files);
    FROND_TRY(ids.for_each([&](std::string_view id, DocId) { return hide(id); }));
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  }
  FROND_TRY(hide_all(current, hidden, how, change));
  replaced = 0;
  for (auto& [partition, docids] : change.hidden) {
    std::sort(docids.begin(), docids.end());
    docids.erase(std::unique(docids.begin(), docids.end()), docids.end());
    replaced += docids.size();
  }
  change.added = std::move(added);
  return publish_change(writer, current, change, std::move(stop));
}

}  // namespace frond::indexer::change
