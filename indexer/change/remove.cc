#include "indexer/change/remove.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/repository/disk_space.h"
#include "indexer/build_lock.h"
#include "indexer/change/change_publication.h"

namespace frond::indexer::change {

Result<RemovalSummary> remove_documents(const ChangeOptions& options,
                                        const std::function<Result<std::optional<std::string>>()>& next_id,
                                        std::stop_token stop) {
  const auto writer = FROND_TRY(open_writer(options.repository, options.collection, options.objects, options.patience,
                                            stop, options.before_step));
  FROND_TRY(repository::expect_room(writer->building(), 0, options.disk_reserve, "removing"));
  const auto current = FROND_TRY(CurrentGeneration::open(*writer));
  RemovalSummary summary;
  std::map<std::size_t, std::set<DocId>> found;
  for (;;) {
    const std::optional<std::string> id = FROND_TRY(next_id());
    if (!id) break;
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    const auto place = FROND_TRY(current->find(*id));
    if (!place) {
      if (summary.unknown++ == 0) summary.an_unknown = *id;
      continue;
    }
    const bool fresh = found[place->partition].insert(place->docid).second;
    ++(fresh ? summary.removed : summary.repeated);
  }
  if (summary.removed == 0) return summary;
  Change change;
  change.log_sequence = options.log_sequence;
  change.log_id = options.log_id;
  for (const auto& [partition, docids] : found) change.hidden[partition].assign(docids.begin(), docids.end());
  summary.published = FROND_TRY(publish_change(*writer, *current, change, std::move(stop)));
  return summary;
}

}  // namespace frond::indexer::change
