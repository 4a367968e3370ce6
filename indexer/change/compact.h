#pragma once
// `frond-indexer compact`: a generation with the same documents in fewer partitions, without those that are hidden.
// What is searched is the same, to the byte; ordinals keep their order.
//
// Others add, remove, build and prune while partitions are merged: the collection's LOCK is held only to publish. What
// is merged are links to the files of the generation that was current, or copies fetched from an object store, so
// pruning takes nothing away. What was hidden meanwhile is hidden in what was made. Where a source is not in the
// current generation any more, or shows a document again that was hidden (after a rollback), the merge is of no use,
// and is dropped.
//
// Everything lies in <collection>/compacting, for an object store below its scratch folder. The one compaction that may
// run there has it locked, and empties it when it begins and when it ends.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "common/repository/repository.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/tiers.h"
#include "indexer/change/waiting.h"

namespace frond::indexer::change {

inline constexpr const char* kCompactingFolder = "compacting";

struct CompactionLimits {
  std::uint64_t bytes_per_second = 0;  // of documents, uncompressed, and of lists that are merged; 0: no limit
  std::uint64_t memory = 0;            // a merge that needs more is not begun; 0: no limit
  MergeRoom* room = nullptr;           // that each merge waits for; null: none is shared
};

// Written by the compaction, read by any thread.
struct CompactionProgress {
  std::atomic<std::uint64_t> documents = 0;          // to be written
  std::atomic<std::uint64_t> documents_written = 0;  // of these
};

struct CompactionSummary {
  std::uint64_t replaced = 0, made = 0;           // partitions
  std::uint64_t documents = 0, dropped = 0;       // written, and hidden ones that are gone
  std::uint64_t hidden_meanwhile = 0;             // documents that were removed or replaced during the merge
  std::uint64_t outdated = 0;                     // merges that are dropped, since their partitions are replaced
  std::uint64_t too_large = 0;                    // merges that were not begun: CompactionLimits::memory
  std::optional<repository::Manifest> published;  // none: nothing is worth merging, or all merges are dropped
};

// One compaction, in two steps, so that whoever holds the right to write may call the second one. Moved between
// threads, not shared. What it made is removed with it.
class Compaction {
 public:
  // Merges what `rules` choose of the current generation. Memory: write_merged()'s for the largest merge, and what
  // opening the sources takes. options.before_step is called before each step ("compaction: …"), which other writers
  // may come between. `progress` may be null. kNotFound: the collection has no generation; kUnavailable: another
  // compaction is running there, the disk, or stopped.
  static Result<std::unique_ptr<Compaction>> prepare(const ChangeOptions& options, const TierRules& rules,
                                                     const CompactionLimits& limits, CompactionProgress* progress,
                                                     std::stop_token stop);
  ~Compaction();
  Compaction(const Compaction&) = delete;
  Compaction& operator=(const Compaction&) = delete;

  // Nothing was merged: there is nothing to publish.
  bool empty() const { return merges_.empty(); }
  // Publishes what was made with what the collection is now. `writer` holds the collection. Time: that of a change, and
  // where one merge made several partitions, that of finding the terms of what was hidden meanwhile. Called once.
  // Nothing is changed after an error.
  Result<CompactionSummary> publish(repository::RepositoryWriter& writer, std::stop_token stop);

 private:
  struct Source {
    repository::PartitionEntry entry;  // when it was merged
    std::vector<DocId> hidden;         // then
  };
  struct Made {
    std::vector<Source> sources;
    std::vector<repository::PartitionEntry> partitions;  // in the order of ordinals
  };
  Compaction(ChangeOptions options, std::filesystem::path folder, files::Descriptor lock)
      : options_(std::move(options)), folder_(std::move(folder)), lock_(std::move(lock)) {}
  void step(std::string_view name) const;
  Result<std::vector<Merge>> pin(const TierRules& rules, const CompactionLimits& limits);
  Result<void> merge(const Merge& merge, Made& made, const CompactionLimits& limits, CompactionProgress* progress,
                     const std::stop_token& stop);
  Result<std::optional<std::vector<std::size_t>>> still_there(const Made& made, const CurrentGeneration& now) const;
  Result<void> carry_over(Made& made, const std::vector<std::size_t>& numbers, const CurrentGeneration& now,
                          Change& change, CompactionSummary& summary) const;
  std::filesystem::path opened(const repository::PartitionEntry& entry) const;

  const ChangeOptions options_;
  const std::filesystem::path folder_;
  const files::Descriptor lock_;
  repository::Manifest manifest_;           // that was current
  std::vector<std::vector<DocId>> hidden_;  // then, by partition
  std::vector<Made> merges_;
  std::uint32_t numbers_ = 0;  // of partitions made
  std::uint64_t too_large_ = 0;
};

// Both steps, with a writer of its own, for which it waits `options.patience`. Errors as those of the steps and of
// RepositoryWriter::open().
Result<CompactionSummary> compact(const ChangeOptions& options, const TierRules& rules, std::stop_token stop,
                                  const CompactionLimits& limits = {});

// Empties the folder that a killed compaction of the collection left, unless one is running.
void remove_compaction_remains(const std::filesystem::path& collection);

}  // namespace frond::indexer::change
