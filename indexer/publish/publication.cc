#include "indexer/publish/publication.h"

#include <algorithm>
#include <future>
#include <random>
#include <vector>

#include "common/base/text.h"
#include "common/base/threads/parallel.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"
#include "common/partition/partition.h"
#include "common/partition/terms/term_files.h"
#include "common/schema/schema_json.h"

namespace frond::indexer::publish {
namespace {

constexpr std::uint32_t kMaxOpened = 16;

Result<partition::TermTotals> write_terms(const repository::Manifest& draft, const std::filesystem::path& building,
                                          const std::filesystem::path& to, std::uint32_t threads,
                                          const std::optional<TermsFile>& written) {
  if (written) {
    FROND_TRY(files::rename(written->path, to));
    return written->totals;
  }
  partition::TermCursors cursors;
  for (const auto& entry : draft.partitions)
    cursors.push_back(partition::terms_of_files(building / entry.id, entry.summary.files));
  return partition::write_term_statistics(cursors, to, threads);
}

// What was written is read back once, before it is published.
Result<void> verify_files(std::span<const repository::PartitionEntry> partitions, const std::filesystem::path& building,
                          std::uint32_t threads) {
  struct File {
    const repository::PartitionEntry* partition;
    const partition::PartitionFile* file;
  };
  std::vector<File> files;
  for (const auto& partition : partitions)
    for (const auto& file : partition.summary.files) files.push_back({&partition, &file});
  // The longest first, so that all threads end at about the same time.
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.file->bytes > b.file->bytes; });
  return in_parallel(files.size(), std::min(threads, kMaxOpened), [&](std::size_t i) {
    return partition::verify_file(building / files[i].partition->id, *files[i].file);
  });
}

Result<void> count_documents_of(const repository::PartitionEntry& entry, const std::filesystem::path& building) {
  const auto opened =
      FROND_TRY(partition::Partition::open(building / entry.id, entry.summary.files, partition::FileReads::kBuffered));
  if (opened->documents() == entry.summary.documents && opened->tokens() == entry.summary.tokens &&
      opened->summary().field_tokens == entry.summary.field_tokens)
    return {};
  return Error(Code::kCorrupt, "partition " + entry.id + " does not have the documents that were written");
}

}  // namespace

EmptiedFolder::~EmptiedFolder() {
  std::error_code ignored;
  for (const auto& entry : files::some_entries_of(folder_)) std::filesystem::remove_all(entry, ignored);
}

Result<void> count_documents(std::span<const repository::PartitionEntry> partitions,
                             const std::filesystem::path& building, std::uint32_t threads) {
  FROND_TRY(verify_files(partitions, building, threads));
  return in_parallel(partitions.size(), std::min(threads, kMaxOpened),
                     [&](std::size_t p) { return count_documents_of(partitions[p], building); });
}

Result<void> link_partition(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code failed;
  std::filesystem::create_directory(to, failed);
  for (const auto& entry : FROND_TRY(files::entries_of(from))) {
    std::filesystem::create_hard_link(entry, to / entry.filename(), failed);
    if (failed) break;
  }
  if (!failed) return {};
  std::filesystem::remove_all(to, failed);
  return files::rename(from, to);
}

std::string new_partition_id(Generation generation, std::uint32_t number) {
  std::random_device random;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%08x%08x", random(), random());
  return "g" + std::to_string(generation) + "-p" + std::to_string(number) + "-" + hex;
}

bool is_next_partition_id(std::string_view first, std::string_view second) {
  const auto parse = [](std::string_view id) -> std::optional<std::pair<std::string_view, std::uint64_t>> {
    const auto dash = id.find("-p"), end = id.find('-', dash == id.npos ? dash : dash + 2);
    if (end == id.npos) return std::nullopt;
    const auto number = number_in<std::uint64_t>(id.substr(dash + 2, end - dash - 2));
    return number ? std::optional(std::pair(id.substr(0, dash), *number)) : std::nullopt;
  };
  const auto a = parse(first), b = parse(second);
  return a && b && a->first == b->first && b->second == a->second + 1;
}

Result<repository::Manifest> publish_generation(repository::RepositoryWriter& writer, repository::Manifest draft,
                                                std::stop_token stop, std::uint32_t threads,
                                                const std::optional<TermsFile>& written_terms) {
  const std::filesystem::path terms = writer.building() / "terms.sst";
  auto counted =
      std::async(std::launch::async, [&] { return count_documents(draft.partitions, writer.building(), threads); });
  const auto written = write_terms(draft, writer.building(), terms, threads, written_terms);
  auto described = written ? partition::describe_file(terms) : Result<partition::PartitionFile>(written.error());
  FROND_TRY(counted.get());
  draft.statistics = {};
  std::uint64_t postings = 0;
  if (!draft.schema.empty()) draft.field_tokens.assign(FROND_TRY(schema::parse_schema(draft.schema)).fields.size(), 0);
  for (const auto& entry : draft.partitions) {
    draft.statistics.documents += entry.summary.documents;
    draft.statistics.tokens += entry.summary.tokens;
    postings += entry.summary.postings;
    partition::add_field_tokens(draft.field_tokens, entry.summary.field_tokens);
  }
  const partition::TermTotals totals = FROND_TRY(written);
  if (totals.postings != postings)
    return Error(Code::kCorrupt, "the terms have " + std::to_string(totals.postings) + " postings, the partitions " +
                                     std::to_string(postings));
  draft.terms = totals.terms;
  draft.postings = totals.postings;
  const std::uint64_t tokens = draft.statistics.tokens + partition::sum_of(draft.field_tokens);
  if (totals.occurrences != tokens)
    return Error(Code::kCorrupt, "the lists have " + std::to_string(totals.occurrences) +
                                     " occurrences, the documents " + std::to_string(tokens) + " tokens");
  draft.generation = writer.next_generation();
  draft.created = utc_text(kUtcSeconds);
  draft.term_statistics = FROND_TRY(std::move(described));
  draft.term_statistics.name = std::to_string(draft.generation) + ".terms.sst";
  if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
  FROND_TRY(writer.publish(draft, terms));
  return draft;
}

}  // namespace frond::indexer::publish
