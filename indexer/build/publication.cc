#include "indexer/build/publication.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/repository/disk_space.h"
#include "common/repository/repository.h"
#include "common/schema/schema_json.h"
#include "indexer/change/change_publication.h"
#include "indexer/publish/publication.h"

namespace frond::indexer {
namespace {

// Other writers hold LOCK while they begin or publish a build, or prune.
constexpr std::chrono::seconds kPatienceToPublish{600};

std::vector<repository::PartitionEntry> entries_of(const BuiltIndex& built) {
  std::vector<repository::PartitionEntry> entries;
  for (std::size_t p = 0; p < built.ids.size(); ++p)
    entries.push_back({built.ids[p], p, built.ids.size(), built.summaries[p]});
  return entries;
}

repository::Manifest draft_manifest(const BuildOptions& options, const ingest::InputSummary& input,
                                    const std::string& order, std::vector<repository::PartitionEntry> partitions) {
  repository::Manifest draft;
  draft.collection = options.collection;
  draft.input = {input.files, input.bytes, input.xxh3};
  draft.codec = options.codecs.name;
  draft.stored = options.stored;
  draft.order = order.empty() ? name_of(options.order) : order;
  draft.analyzer = options.invert.analyzer;
  draft.bm25 = options.bm25;
  if (options.schema != nullptr) draft.schema = schema::schema_text(*options.schema);
  draft.log_sequence = options.log_sequence;
  draft.log_id = options.log_id;
  draft.partitions = std::move(partitions);
  return draft;
}

std::string kind_of(const text::AnalyzerConfig& analyzer, const scoring::Bm25Parameters& bm25) {
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, ", k1 %g, b %g", bm25.k1, bm25.b);
  return text::described(analyzer) + numbers;
}

// The collection may have been built anew while documents for it were indexed.
Result<void> expect_kind(const BuildOptions& options, const repository::Manifest& current) {
  const bool same = current.analyzer == options.invert.analyzer && current.bm25 == options.bm25;
  if (same) return {};
  return Error(Code::kInvalid, "collection " + options.collection +
                                   " was built anew with another analyzer, k1 or b while these documents were indexed: "
                                   "add them again");
}

// A build without flags takes today's defaults, which the collection may not have.
void warn_of_another_kind(const BuildOptions& options, Logger& logger) {
  const auto source =
      repository::RepositorySource::open(options.repository.string(), options.collection, {}, options.objects.access);
  const auto number = source ? (*source)->current() : Result<Generation>(source.error());
  const auto current = number ? (*source)->manifest(*number) : Result<repository::Manifest>(number.error());
  if (!current) return;  // none, most often; what is wrong otherwise, publishing finds out
  if (current->analyzer == options.invert.analyzer && current->bm25 == options.bm25) return;
  logger.warn(
      "the new generation has another analyzer, k1 or b than the one before",
      {{"before", kind_of(current->analyzer, current->bm25)}, {"now", kind_of(options.invert.analyzer, options.bm25)}});
}

}  // namespace

Result<repository::Manifest> publish_build(const BuildOptions& options, const BuiltIndex& built, BuildSummary& summary,
                                           Logger& logger, const std::stop_token& stop) {
  const auto writer = FROND_TRY(change::open_writer(options, stop, kPatienceToPublish));
  const publish::EmptiedFolder emptied(writer->building());
  FROND_TRY(repository::expect_room(writer->building(), 0, options.disk_reserve, "publishing"));
  for (const std::string& id : built.ids)
    FROND_TRY(publish::link_partition(built.folder / id, writer->building() / id));
  auto partitions = entries_of(built);
  if (options.add) {
    summary.added = summary.inverted.documents;
    const auto current = FROND_TRY(change::CurrentGeneration::open(*writer));
    FROND_TRY(expect_kind(options, current->manifest()));
    change::Addition addition{std::move(partitions), options.removed_ids, options.log_sequence, options.log_id};
    if (options.schema != nullptr) addition.schema = schema::schema_text(*options.schema);
    return change::publish_added(*writer, *current, std::move(addition), summary.replaced, stop);
  }
  if (writer->next_generation() != built.next_generation)
    logger.warn("another writer published while this build ran; this build's generation replaces its own",
                {{"generation", std::to_string(writer->next_generation())},
                 {"expected", std::to_string(built.next_generation)}});
  warn_of_another_kind(options, logger);
  return publish::publish_generation(
      *writer, draft_manifest(options, summary.inverted.input, summary.inverted.order, std::move(partitions)), stop,
      options.threads, built.terms);
}

}  // namespace frond::indexer
