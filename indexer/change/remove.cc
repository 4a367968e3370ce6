#include "indexer/change/remove.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

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
  // A service, which has a log, changes the collection again and again.
  const auto how = options.log_id.empty() ? CurrentGeneration::Ids::kRanges : CurrentGeneration::Ids::kKept;
  std::map<std::size_t, std::vector<bool>> found;  // by partition: which of its documents
  for (bool more = true; more;) {
    std::vector<std::string> ids;
    for (std::size_t bytes = 0; more && bytes < kIdBytesAtOnce;) {
      std::optional<std::string> id = FROND_TRY(next_id());
      more = id.has_value();
      if (!id) break;
      bytes += kBytesOfAnId + id->size();
      ids.push_back(*std::move(id));
    }
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    const auto places = FROND_TRY(current->find_each(ids, how));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!places[i]) {
        if (summary.unknown++ == 0) summary.an_unknown = ids[i];
        continue;
      }
      auto& documents = found[places[i]->partition];
      if (documents.empty()) documents.resize(current->manifest().partitions[places[i]->partition].summary.documents);
      ++(documents[places[i]->docid] ? summary.repeated : summary.removed);
      documents[places[i]->docid] = true;
    }
  }
  if (summary.removed == 0) return summary;
  Change change;
  change.log_sequence = options.log_sequence;
  change.log_id = options.log_id;
  for (const auto& [partition, documents] : found)
    for (DocId docid = 0; docid < documents.size(); ++docid)
      if (documents[docid]) change.hidden[partition].push_back(docid);
  summary.published = FROND_TRY(publish_change(*writer, *current, change, std::move(stop)));
  return summary;
}

}  // namespace frond::indexer::change
