#include "indexer/change/compact.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "common/files/write.h"
#include "common/repository/disk_space.h"
#include "indexer/change/change_publication.h"
#include "indexer/change/merged_partition.h"
#include "indexer/change/removed_terms.h"
#include "indexer/publish/publication.h"

namespace frond::indexer::change {
namespace {

namespace fs = std::filesystem;
using repository::Manifest;
using repository::PartitionEntry;

constexpr int kTriesToPin = 10;  // while others publish and prune

std::uint64_t bytes_of(const PartitionEntry& entry) {
  std::uint64_t bytes = 0;
  for (const auto& file : entry.summary.files) bytes += file.bytes;
  return bytes;
}

// Of write_merged(), by its contract.
std::uint64_t memory_of(const MergeSize& size, const Manifest& manifest) {
  constexpr std::uint64_t kWriter = 64u << 20, kOpenPartition = 4u << 20;
  const std::uint64_t part = size.left / size.partitions + 1;
  // Of 4,096 documents: what a column collects, and chunks as they are stored.
  constexpr std::uint64_t kFieldWritten = 192u << 10, kFieldRead = 32u << 10;
  const auto& tokens = manifest.field_tokens;  // of each field of the schema
  const auto lengths = static_cast<std::uint64_t>(std::ranges::count_if(tokens, [](auto one) { return one > 0; })) * 4;
  const std::uint64_t values = tokens.size() * (kFieldWritten + kFieldRead * size.sources);
  return kWriter + kOpenPartition * size.sources + values + (8 + lengths) * size.documents +
         sizeof(MergedDocument) * size.left + 16 * part;
}
MergeSize size_of(const Merge& merge, const Manifest& manifest) {
  MergeSize size{merge.sources.size(), 0, 0, merge.partitions};
  for (const std::size_t p : merge.sources) {
    const PartitionEntry& entry = manifest.partitions[p];
    size.documents += entry.summary.documents;
    size.left += entry.summary.documents - entry.hidden.documents;
  }
  return size;
}

Error other_size(const PartitionEntry& entry, std::uint64_t documents, Generation generation) {
  return Error(Code::kCorrupt, "partition " + entry.id + " has " + std::to_string(documents) +
                                   " documents; the manifest of generation " + std::to_string(generation) + " says " +
                                   std::to_string(entry.summary.documents));
}

Error fewer_hidden(const PartitionEntry& entry) {
  return Error(Code::kCorrupt, "partition " + entry.id + " has fewer hidden tokens of a field than it had before");
}

// How many documents of a source came into the merged partitions before ordinal `before`.
std::uint64_t kept_below(const PartitionEntry& entry, const std::vector<DocId>& hidden, Ordinal before) {
  if (before <= entry.base) return 0;
  const auto docids = static_cast<DocId>(
      std::min<std::uint64_t>(entry.summary.documents, (before - entry.base + entry.stride - 1) / entry.stride));
  return docids - static_cast<std::uint64_t>(
                      std::distance(hidden.begin(), std::lower_bound(hidden.begin(), hidden.end(), docids)));
}

}  // namespace

void Compaction::step(std::string_view name) const {
  if (options_.before_step) options_.before_step(name);
}

fs::path Compaction::opened(const PartitionEntry& entry) const { return folder_ / ("opened-" + entry.id); }

Compaction::~Compaction() { empty_folder(folder_); }

void remove_compaction_remains(const fs::path& collection) {
  const fs::path folder = collection / kCompactingFolder;
  const auto lock = files::try_lock_folder(folder);
  if (lock && lock->has_value()) empty_folder(folder);
}

// Links or fetches the sources' files into folders of their own, which stay when the published files go.
Result<std::vector<Merge>> Compaction::pin(const TierRules& rules, const CompactionLimits& limits) {
  const auto source = FROND_TRY(repository::RepositorySource::open(options_.repository.string(), options_.collection,
                                                                   {}, options_.objects.access));
  const bool in_place = !objects::is_object_place(options_.repository.string());
  const GenerationFiles files(*source, in_place ? options_.repository / options_.collection : fs::path(),
                              folder_ / "fetched");
  for (int tries = 1;; ++tries) {
    empty_folder(folder_);
    too_large_ = 0;
    std::vector<Merge> merges;
    const auto all = [&]() -> Result<void> {
      const auto current = FROND_TRY(CurrentGeneration::open(*source, options_.collection, files));
      manifest_ = current->manifest();
      hidden_.clear();
      for (std::size_t p = 0; p < manifest_.partitions.size(); ++p) hidden_.push_back(FROND_TRY(current->hidden(p)));
      const Fits fits = [&](const MergeSize& size) {
        return limits.memory == 0 || memory_of(size, manifest_) <= limits.memory;
      };
      merges = merges_of(manifest_.partitions, rules, fits);
      too_large_ = std::erase_if(merges, [&](const Merge& merge) { return !fits(size_of(merge, manifest_)); });
      std::uint64_t bytes = 0;
      for (const Merge& merge : merges)
        for (const std::size_t p : merge.sources) bytes += (in_place ? 1 : 2) * bytes_of(manifest_.partitions[p]);
      FROND_TRY(repository::expect_room(folder_, bytes, options_.disk_reserve, "merging partitions"));
      step("compaction: pin");
      for (const Merge& merge : merges)
        for (const std::size_t p : merge.sources) {
          const PartitionEntry& entry = manifest_.partitions[p];
          const fs::path at = FROND_TRY(files.for_reading(entry, opened(entry), /*ids=*/true));
          if (in_place) FROND_TRY(partition::Partition::ingest(at, entry.summary.files, opened(entry), /*move=*/false));
        }
      return {};
    }();
    if (all) return merges;
    if (manifest_.generation == 0) return all.error();
    // The generation may have been pruned while it was looked at.
    const auto now = source->current();
    if (!now || *now == manifest_.generation || tries == kTriesToPin) return all.error();
  }
}

Result<void> Compaction::merge(const Merge& merge, Made& made, const CompactionLimits& limits,
                               CompactionProgress* progress, const std::stop_token& stop) {
  std::vector<MergeSource> sources;
  // Ordinals stay below those of what follows: as many as there were, or fewer.
  Ordinal base = ~Ordinal{0};
  for (const std::size_t p : merge.sources) {
    const PartitionEntry& entry = manifest_.partitions[p];
    auto partition = partition::Partition::open(opened(entry), entry.summary.files, partition::FileReads::kMapped);
    if (!partition) return std::move(partition).error().within("partition " + entry.id);
    if ((*partition)->documents() != entry.summary.documents)
      return other_size(entry, (*partition)->documents(), manifest_.generation);
    sources.push_back({*std::move(partition), entry.placement(), hidden_[p]});
    made.sources.push_back({entry, hidden_[p]});
    base = std::min(base, entry.base);
  }
  const auto codecs = FROND_TRY(codec::codec_choice_named(manifest_.codec));
  Pace pace(limits.bytes_per_second);
  MergeOptions options{.codecs = codecs,
                       .stored = manifest_.stored,
                       .b = manifest_.bm25.b,
                       .average_length = manifest_.statistics.average_length(),
                       .pace = &pace};
  options.schema = FROND_TRY(schema_of(manifest_));
  if (progress != nullptr) options.documents_written = &progress->documents_written;
  const auto documents = merged_documents(sources);
  const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(merge.partitions, documents.size()));
  for (std::size_t i = 0; i < parts; ++i) {
    step("compaction: merge");
    const std::size_t begin = documents.size() * i / parts, end = documents.size() * (i + 1) / parts;
    const auto part = std::span(documents).subspan(begin, end - begin);
    PartitionEntry entry;
    entry.id = publish::new_partition_id(manifest_.generation + 1, numbers_++);
    entry.base = base + begin;
    entry.summary = FROND_TRY(write_merged(sources, part, folder_ / entry.id, options, stop));
    made.partitions.push_back(std::move(entry));
  }
  return publish::count_documents(made.partitions, folder_);
}

Result<std::unique_ptr<Compaction>> Compaction::prepare(const ChangeOptions& options, const TierRules& rules,
                                                        const CompactionLimits& limits, CompactionProgress* progress,
                                                        std::stop_token stop) {
  const bool in_store = objects::is_object_place(options.repository.string());
  const fs::path local = FROND_TRY(repository::local_folder(options.repository, options.collection, options.objects));
  std::error_code failed;
  if (!in_store && !fs::exists(options.repository / options.collection / "CURRENT", failed))
    return Error(Code::kNotFound, "collection " + options.collection +
                                      " has no generation to change: make one with frond-indexer build");
  const fs::path folder = local / kCompactingFolder;
  fs::create_directories(folder, failed);
  if (failed) return Error(Code::kUnavailable, "creating " + folder.string() + ": " + failed.message());
  auto lock = FROND_TRY(files::try_lock_folder(folder));
  if (!lock) return Error(Code::kUnavailable, folder.string() + " is locked: another compaction is running");
  std::unique_ptr<Compaction> compaction(new Compaction(options, folder, *std::move(lock)));
  const auto merges = FROND_TRY(compaction->pin(rules, limits));
  const Manifest& manifest = compaction->manifest_;
  if (progress != nullptr)
    for (const Merge& merge : merges)
      for (const std::size_t p : merge.sources)
        progress->documents += manifest.partitions[p].summary.documents - manifest.partitions[p].hidden.documents;
  for (const Merge& merge : merges) {
    Made made;
    const std::uint64_t bytes = memory_of(size_of(merge, manifest), manifest);
    const auto place = limits.room != nullptr ? FROND_TRY(limits.room->take(bytes, stop)) : MergeRoom::Place();
    FROND_TRY(compaction->merge(merge, made, limits, progress, stop));
    for (const Source& source : made.sources) fs::remove_all(compaction->opened(source.entry), failed);
    if (in_store)
      for (const PartitionEntry& entry : made.partitions)
        FROND_TRY(repository::upload_partition(options.repository, options.collection, options.objects,
                                               folder / entry.id, entry.id, [&] { return stop.stop_requested(); }));
    compaction->merges_.push_back(std::move(made));
  }
  return compaction;
}

// The numbers of the sources in the current generation; nothing if the merge does not have what it has.
Result<std::optional<std::vector<std::size_t>>> Compaction::still_there(const Made& made,
                                                                        const CurrentGeneration& now) const {
  const auto& partitions = now.manifest().partitions;
  std::vector<std::size_t> numbers;
  for (const Source& source : made.sources) {
    const auto found = std::find_if(partitions.begin(), partitions.end(), [&](const PartitionEntry& entry) {
      return entry.id == source.entry.id && entry.base == source.entry.base && entry.stride == source.entry.stride;
    });
    if (found == partitions.end()) return std::optional<std::vector<std::size_t>>();
    if (found->summary.documents != source.entry.summary.documents)
      return other_size(*found, source.entry.summary.documents, now.manifest().generation);
    numbers.push_back(static_cast<std::size_t>(found - partitions.begin()));
    const auto hidden = FROND_TRY(now.hidden(numbers.back()));
    if (!std::includes(hidden.begin(), hidden.end(), source.hidden.begin(), source.hidden.end()))
      return std::optional<std::vector<std::size_t>>();
  }
  return std::optional(std::move(numbers));
}

// Hides in what was made what is hidden now and was not when it was made.
Result<void> Compaction::carry_over(Made& made, const std::vector<std::size_t>& numbers, const CurrentGeneration& now,
                                    Change& change, CompactionSummary& summary) const {
  repository::HiddenCounts counts;
  std::map<std::string, std::vector<DocId>, std::less<>> hidden;
  for (std::size_t s = 0; s < numbers.size(); ++s) {
    const Source& source = made.sources[s];
    const auto& then = source.entry.hidden;
    const auto& entry = now.manifest().partitions[numbers[s]];
    counts.documents += entry.hidden.documents - then.documents;
    counts.tokens += entry.hidden.tokens - then.tokens;
    counts.postings += entry.hidden.postings - then.postings;
    partition::add_field_tokens(counts.field_tokens, entry.hidden.field_tokens);
    if (!partition::take_field_tokens(counts.field_tokens, then.field_tokens)) return fewer_hidden(entry);
    std::vector<DocId> fresh;
    const auto all = FROND_TRY(now.hidden(numbers[s]));
    std::set_difference(all.begin(), all.end(), source.hidden.begin(), source.hidden.end(), std::back_inserter(fresh));
    for (const DocId docid : fresh) {
      const Ordinal ordinal = source.entry.placement().ordinal(docid);
      std::uint64_t place = 0;
      for (const Source& other : made.sources) place += kept_below(other.entry, other.hidden, ordinal);
      auto to = made.partitions.begin();
      for (; place >= to->summary.documents; ++to) place -= to->summary.documents;
      hidden[to->id].push_back(static_cast<DocId>(place));
    }
  }
  summary.hidden_meanwhile += counts.documents;
  counts.field_tokens.resize(now.manifest().field_tokens.size());
  repository::HiddenCounts sum;
  sum.field_tokens.resize(counts.field_tokens.size());
  for (PartitionEntry& entry : made.partitions) {
    const auto found = hidden.find(entry.id);
    if (found == hidden.end()) continue;
    std::sort(found->second.begin(), found->second.end());
    if (made.partitions.size() == 1) {
      entry.hidden = counts;
    } else {
      // The sources do not tell how the counts are spread over what was made.
      const auto made_of = FROND_TRY(partition::PublishedPartition::open(folder_ / entry.id, entry.summary.files));
      RemovedTerms terms(now.manifest().analyzer, folder_, kHeldTermBytes, FROND_TRY(schema_of(now.manifest())));
      const auto removed = FROND_TRY(terms.add(*made_of, found->second));
      entry.hidden = {found->second.size(), removed.tokens, removed.postings, removed.field_tokens};
    }
    sum.documents += found->second.size();
    sum.tokens += entry.hidden.tokens;
    sum.postings += entry.hidden.postings;
    partition::add_field_tokens(sum.field_tokens, entry.hidden.field_tokens);
    change.hidden_in_merged[entry.id] = std::move(found->second);
  }
  if (sum == counts) return {};
  return Error(Code::kCorrupt,
               "merged partitions of " + options_.collection +
                   ": what was removed meanwhile is not what they have: " + std::to_string(sum.documents) +
                   " documents with " + std::to_string(sum.postings) + " postings instead of " +
                   std::to_string(counts.documents) + " with " + std::to_string(counts.postings));
}

Result<CompactionSummary> Compaction::publish(repository::RepositoryWriter& writer, std::stop_token stop) {
  CompactionSummary summary;
  summary.too_large = too_large_;
  if (empty()) return summary;
  const auto now = FROND_TRY(CurrentGeneration::open(writer));
  Change change;
  for (Made& made : merges_) {
    const auto numbers = FROND_TRY(still_there(made, *now));
    if (!numbers) {
      ++summary.outdated;
      continue;
    }
    FROND_TRY(carry_over(made, *numbers, *now, change, summary));
    change.replaced.insert(numbers->begin(), numbers->end());
    change.merged[*std::min_element(numbers->begin(), numbers->end())] = made.partitions;
    summary.replaced += numbers->size();
    summary.made += made.partitions.size();
    for (const Source& source : made.sources) summary.dropped += source.hidden.size();
    for (const PartitionEntry& entry : made.partitions) summary.documents += entry.summary.documents;
  }
  if (change.replaced.empty()) return summary;
  if (writer.in_place())
    for (const auto& [place, made] : change.merged)
      for (const PartitionEntry& entry : made)
        FROND_TRY(publish::link_partition(folder_ / entry.id, writer.building() / entry.id));
  auto published = publish_change(writer, *now, change, std::move(stop));
  if (!published) {
    std::error_code ignored;
    for (const auto& [place, made] : change.merged)
      for (const PartitionEntry& entry : made) fs::remove_all(writer.building() / entry.id, ignored);
    return std::move(published).error();
  }
  summary.published = *std::move(published);
  // In an object store the ids of what was merged are here, too.
  now->files().keep_published(*summary.published, folder_, {}, {});
  return summary;
}

Result<CompactionSummary> compact(const ChangeOptions& options, const TierRules& rules, std::stop_token stop,
                                  const CompactionLimits& limits) {
  const auto compaction = FROND_TRY(Compaction::prepare(options, rules, limits, nullptr, stop));
  if (options.before_step) options.before_step("compaction: publish");
  const auto writer = FROND_TRY(open_writer(options, stop, options.patience));
  return compaction->publish(*writer, std::move(stop));
}

}  // namespace frond::indexer::change
