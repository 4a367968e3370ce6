#include "indexer/change/compact.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/repository/disk_space.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/merged_partition.h"
#include "indexer/publish/publication.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;
using repository::Manifest;

class Compaction {
 public:
  Compaction(repository::RepositoryWriter& writer, const CurrentGeneration& current, std::uint64_t disk_reserve)
      : writer_(writer), current_(current), disk_reserve_(disk_reserve) {}

  Result<void> merge(const Merge& merge, Change& change, const std::stop_token& stop) {
    const Manifest& manifest = current_.manifest();
    std::uint64_t bytes = 0;
    for (const std::size_t p : merge.sources)
      for (const auto& file : manifest.partitions[p].summary.files) bytes += file.bytes;
    FROND_TRY(repository::expect_room(writer_.building(), bytes, disk_reserve_, "merging partitions"));
    {
      std::vector<MergeSource> sources;
      for (const std::size_t p : merge.sources)
        sources.push_back(
            {FROND_TRY(current_.open_partition(p, opened(p))), manifest.partitions[p].placement(), current_.hidden(p)});
      FROND_TRY(write(merge, sources, change, stop));
    }
    std::error_code failed;
    for (const std::size_t p : merge.sources) fs::remove_all(opened(p), failed);
    if (failed) return Error(Code::kUnavailable, writer_.building().string() + ": " + failed.message());
    return {};
  }

 private:
  fs::path opened(std::size_t partition) const {
    return writer_.building() / ("opened-" + current_.manifest().partitions[partition].id);
  }

  Result<void> write(const Merge& merge, std::span<const MergeSource> sources, Change& change,
                     const std::stop_token& stop) {
    const Manifest& manifest = current_.manifest();
    const auto codecs = FROND_TRY(codec::codec_choice_named(manifest.codec));
    const MergeOptions options{codecs, manifest.bm25.b, manifest.statistics.average_length()};
    const auto documents = merged_documents(sources);
    // Ordinals stay below those of what follows: as many as there were, or fewer.
    Ordinal base = ~Ordinal{0};
    for (const std::size_t p : merge.sources) base = std::min(base, manifest.partitions[p].base);
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(merge.partitions, documents.size()));
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t begin = documents.size() * i / parts, end = documents.size() * (i + 1) / parts;
      const auto part = std::span(documents).subspan(begin, end - begin);
      repository::PartitionEntry entry;
      entry.id = publish::new_partition_id(writer_.next_generation(), made_++);
      entry.base = base + begin;
      entry.summary = FROND_TRY(write_merged(sources, part, writer_.building() / entry.id, options, stop));
      change.merged[merge.sources.front()].push_back(std::move(entry));
    }
    change.replaced.insert(merge.sources.begin(), merge.sources.end());
    return {};
  }

  repository::RepositoryWriter& writer_;
  const CurrentGeneration& current_;
  const std::uint64_t disk_reserve_;
  std::uint32_t made_ = 0;
};

}  // namespace

Result<CompactionSummary> compact(const ChangeOptions& options, const TierRules& rules, std::stop_token stop) {
  const auto writer =
      FROND_TRY(repository::RepositoryWriter::open(options.repository, options.collection, options.before_step));
  const auto current = FROND_TRY(CurrentGeneration::open(*writer));
  const auto merges = merges_of(current->manifest().partitions, rules);
  CompactionSummary summary;
  if (merges.empty()) return summary;
  Compaction compaction(*writer, *current, options.disk_reserve);
  Change change;
  for (const Merge& merge : merges) FROND_TRY(compaction.merge(merge, change, stop));
  for (const std::size_t p : change.replaced) {
    ++summary.replaced;
    summary.dropped += current->hidden(p).size();
  }
  for (const auto& [place, made] : change.merged) {
    summary.made += made.size();
    for (const auto& entry : made) summary.documents += entry.summary.documents;
  }
  summary.published = FROND_TRY(publish_change(*writer, *current, change, std::move(stop)));
  return summary;
}

}  // namespace frond::indexer::change
