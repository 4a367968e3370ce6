#include "indexer/publish/publication.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "common/partition/file_checksum.h"
#include "common/partition/partition.h"
#include "common/partition/term_statistics.h"

namespace frond::indexer {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  struct tm utc {};
  ::gmtime_r(&now, &utc);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, size};
}

// What was written is opened as a leaf would open it, beside its folder.
Result<std::vector<std::shared_ptr<const partition::Partition>>> open_built(const repository::Manifest& draft,
                                                                            const std::filesystem::path& building) {
  std::vector<std::shared_ptr<const partition::Partition>> partitions;
  for (const auto& entry : draft.partitions) {
    const auto database = building / ("opened-" + entry.id);
    FROND_TRY(partition::Partition::ingest(building / entry.id, entry.summary.files, database, /*move=*/false));
    partitions.push_back(FROND_TRY(partition::Partition::open(database)));
  }
  return partitions;
}

}  // namespace

std::string new_partition_id(Generation generation, std::uint32_t number) {
  std::random_device random;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%08x%08x", random(), random());
  return "g" + std::to_string(generation) + "-p" + std::to_string(number) + "-" + hex;
}

Result<repository::Manifest> publish_generation(repository::RepositoryWriter& writer, repository::Manifest draft,
                                                std::stop_token stop) {
  const std::filesystem::path terms = writer.building() / "terms.sst";
  {
    const auto partitions = FROND_TRY(open_built(draft, writer.building()));
    const partition::TermTotals totals = FROND_TRY(partition::write_term_statistics(partitions, terms));
    draft.terms = totals.terms;
    draft.postings = totals.postings;
    draft.statistics = {};
    for (const auto& part : partitions) {
      draft.statistics.documents += part->documents();
      draft.statistics.tokens += part->tokens();
    }
    if (totals.occurrences != draft.statistics.tokens)
      return Error(Code::kCorrupt, "the lists have " + std::to_string(totals.occurrences) +
                                       " occurrences, the documents " + std::to_string(draft.statistics.tokens) +
                                       " tokens");
  }
  for (const auto& entry : draft.partitions) {
    std::error_code failed;
    std::filesystem::remove_all(writer.building() / ("opened-" + entry.id), failed);
    if (failed) return Error(Code::kUnavailable, "opened-" + entry.id + ": " + failed.message());
  }
  draft.generation = writer.next_generation();
  draft.created = utc_now();
  draft.term_statistics = FROND_TRY(partition::describe_file(terms));
  draft.term_statistics.name = std::to_string(draft.generation) + ".terms.sst";
  if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  FROND_TRY(writer.publish(draft, terms));
  return draft;
}

}  // namespace frond::indexer
