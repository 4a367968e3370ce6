#include "indexer/build.h"

#include <optional>
#include <system_error>

#include "common/repository/disk_space.h"
#include "indexer/publish/partition_build.h"
#include "indexer/publish/publication.h"
#include "indexer/publish/share.h"

namespace frond::indexer {
namespace {

// Seconds since the last call.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> span = now - last_;
    last_ = now;
    return span.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Empties the scratch folder when the build ends, also with an error. The next build empties a killed build's folder.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~ScratchFolder() {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
      std::filesystem::remove_all(entry.path(), ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

 private:
  std::filesystem::path folder_;
};

repository::Manifest draft_manifest(const BuildOptions& options, const ingest::InputSummary& input,
                                    const std::vector<std::string>& ids,
                                    const std::vector<partition::PartitionSummary>& summaries) {
  repository::Manifest draft;
  draft.collection = options.collection;
  draft.input = {input.files, input.bytes, input.xxh3};
  draft.codec = options.codecs.name;
  draft.order = name_of(options.order);
  draft.analyzer = options.invert.analyzer;
  draft.bm25 = options.bm25;
  for (std::size_t p = 0; p < ids.size(); ++p) draft.partitions.push_back({ids[p], p, ids.size(), summaries[p]});
  return draft;
}

std::string what_was_skipped(const pipeline::InvertedDocuments& inverted) {
  std::string text;
  if (inverted.bad_records > 0)
    text += "; " + std::to_string(inverted.bad_records) + " bad records, the last: " + inverted.last_bad;
  if (inverted.skipped.total() > 0) text += "; files skipped: " + to_string(inverted.skipped);
  if (inverted.skipped_records.total() > 0) text += "; records skipped: " + to_string(inverted.skipped_records);
  return text;
}

}  // namespace

Result<BuildSummary> build(const BuildOptions& options, BuildProgress& progress, Logger& logger, std::stop_token stop) {
  Stopwatch watch;
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(options.repository, options.collection));
  const ScratchFolder scratch(writer->building());
  FROND_TRY(repository::expect_room(writer->building(), 0, options.disk_reserve, "building"));
  BuildSummary summary;

  // Another order than the input's is computed over the whole collection, before it is dealt to partitions.
  pipeline::InvertOptions invert = options.invert;
  if (options.order != order::DocumentOrder::kInput) invert.partitions = 1;
  summary.inverted = FROND_TRY(pipeline::invert_documents(invert, writer->building(), progress.invert, logger, stop));
  pipeline::release_unused_memory();
  if (summary.inverted.documents == 0 && !options.may_be_empty)
    return Error(Code::kInvalid,
                 "the input has no document; nothing is published" + what_was_skipped(summary.inverted));
  summary.invert_seconds = watch.lap();

  const std::uint32_t partitions = options.invert.partitions;
  if (options.order != order::DocumentOrder::kInput) {
    progress.stage = BuildProgress::Stage::kOrder;
    const order::OrderOptions order{options.order, partitions, options.threads, options.invert.memory.limit};
    FROND_TRY(order::order_documents(summary.inverted, order, writer->building(), stop));
    pipeline::release_unused_memory();
    summary.order_seconds = watch.lap();
  }

  progress.stage = BuildProgress::Stage::kWrite;
  std::vector<std::string> ids;
  for (std::uint32_t p = 0; p < partitions; ++p) ids.push_back(publish::new_partition_id(writer->next_generation(), p));
  const publish::PartitionBuildOptions how{
      options.codecs,
      options.bm25.b,
      scoring::CollectionStatistics{summary.inverted.documents, summary.inverted.tokens}.average_length(),
      summary.inverted.sample,
      pipeline::plan_writing(options.invert.memory.limit, partitions, options.threads),
      options.disk_reserve};
  const auto summaries = FROND_TRY(publish::build_partitions(summary.inverted.partitions, ids, writer->building(), how,
                                                             progress.documents_written, stop));
  std::uint64_t written = 0;
  for (const auto& partition : summaries) written += partition.documents;
  if (written != summary.inverted.documents)
    return Error(Code::kCorrupt, std::to_string(summary.inverted.documents) + " documents were inverted, but " +
                                     std::to_string(written) + " written");
  summary.write_seconds = watch.lap();

  progress.stage = BuildProgress::Stage::kPublish;
  FROND_TRY(repository::expect_room(writer->building(), 0, options.disk_reserve, "publishing"));
  summary.manifest = FROND_TRY(
      publish::publish_generation(*writer, draft_manifest(options, summary.inverted.input, ids, summaries), stop));
  summary.publish_seconds = watch.lap();
  summary.total_seconds =
      summary.invert_seconds + summary.order_seconds + summary.write_seconds + summary.publish_seconds;
  progress.stage = BuildProgress::Stage::kDone;
  return summary;
}

Result<BuildSummary> build_share(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop) {
  const ingest::InputShare share = options.invert.read.share;
  options.repository = publish::share_repository(options.repository, options.collection, share.index, share.count);
  options.invert.partitions = 1;
  options.may_be_empty = true;
  BuildSummary summary = FROND_TRY(build(options, progress, logger, stop));
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(options.repository, options.collection));
  FROND_TRY(writer->prune(0));
  return summary;
}

}  // namespace frond::indexer
