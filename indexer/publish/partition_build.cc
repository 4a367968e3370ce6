#include "indexer/publish/partition_build.h"

#include <algorithm>
#include <system_error>

#include "common/base/threads/parallel.h"
#include "common/base/threads/task_pool.h"
#include "common/repository/disk_space.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/partition_lists.h"
#include "indexer/publish/stored_fields.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {
namespace {

constexpr std::uint64_t kRunBytesOfPosting = 2;  // about

// Shared by all partitions that are being written.
struct Shared {
  const PartitionBuildOptions& options;
  std::atomic<std::uint64_t>& done;
  StoredFields fields;
  ListSupply lists;

  // What a partition's run would have, if there is none.
  std::uint64_t unspilled_bytes(std::size_t partitions) const {
    if (options.unspilled == nullptr) return 0;
    if (const auto& on_device = options.unspilled->on_device)
      return on_device->postings() * kRunBytesOfPosting / partitions;
    return options.unspilled->bytes / 2 / partitions;  // the rest is the dictionary
  }
};

// A partition takes about as much as the runs and half as much as the spool that it is made from, which are removed
// afterwards. Three quarters of that must be free, or the build fails before the partition is begun.
Result<void> expect_room(const pipeline::InvertedDocuments::Part& part, std::uint64_t unspilled_bytes,
                         const std::filesystem::path& folder, std::uint64_t disk_reserve) {
  std::uint64_t bytes = 0;
  const auto add = [&bytes](const std::filesystem::path& file) {
    std::error_code failed;
    if (const auto size = std::filesystem::file_size(file, failed); !failed) bytes += size;
  };
  add(part.spool);
  bytes /= 2;
  for (const auto& run : part.runs) add(run);
  bytes += unspilled_bytes;
  return repository::expect_room(folder, bytes / 4 * 3, disk_reserve, "writing it");
}

Result<partition::PartitionSummary> build_partition(const pipeline::InvertedDocuments::Part& part, std::uint32_t number,
                                                    const std::filesystem::path& folder, const std::string& id,
                                                    std::size_t partitions, Shared& shared, std::stop_token stop) {
  const PartitionBuildOptions& options = shared.options;
  FROND_TRY(expect_room(part, shared.unspilled_bytes(partitions), folder, options.disk_reserve));
  runs::SpoolContents read;
  const runs::SpoolContents* spool = shared.lists.contents(number);
  if (spool == nullptr) spool = &(read = FROND_TRY(runs::SpoolReader::read_contents(part.spool)));
  const auto writer =
      FROND_TRY(partition::PartitionWriter::create(folder / id, options.average_length, options.memory.id_bytes,
                                                   partition::StoredCompression::kSmall, options.schema));
  FirstError error(stop);
  PartitionLists lists(*writer, {part.runs, number, folder, spool->lengths}, shared.lists, error);
  error.guard([&]() -> Result<void> {
    FROND_TRY(shared.fields.write(*writer, part.spool, spool->field_bytes, shared.done, error.token()));
    return error.token().stop_requested() ? Result<void>() : writer->end_documents();
  });
  lists.join();
  FROND_TRY(error.result());
  writer->set_term_digests(lists.take_digests());
  auto summary = FROND_TRY(writer->finish());
  if (options.finished) FROND_TRY(options.finished(number, summary));
  std::error_code ignored;  // the folder goes as a whole anyway
  for (const auto& run : part.runs) std::filesystem::remove(run, ignored);
  std::filesystem::remove(part.spool, ignored);
  std::filesystem::remove(runs::lengths_path(part.spool), ignored);
  return summary;
}

}  // namespace

Result<BuiltPartitions> build_partitions(const std::vector<pipeline::InvertedDocuments::Part>& parts,
                                         const std::vector<std::string>& ids, const std::filesystem::path& folder,
                                         const PartitionBuildOptions& options, std::atomic<std::uint64_t>& done,
                                         std::stop_token stop) {
  FROND_CHECK(ids.size() == parts.size());
  std::vector<partition::PartitionSummary> summaries(parts.size());
  std::atomic<std::uint32_t> next = 0;
  TaskPool pool("packer", options.memory.packers);
  Shared shared{options, done, {pool, options.stored, options.sample, options.memory, parts.size()}, {options, pool}};
  FROND_TRY(shared.lists.prepare(parts, folder));
  FirstError error(stop);
  const auto work = [&]() -> Result<void> {
    for (std::uint32_t p = next++; p < parts.size() && !error.token().stop_requested(); p = next++) {
      if (p < options.written.size() && options.written[p]) {
        summaries[p] = *options.written[p];
        done += summaries[p].documents;
        continue;
      }
      auto built = build_partition(parts[p], p, folder, ids[p], parts.size(), shared, error.token());
      if (!built) return std::move(built).error().within("partition " + std::to_string(p));
      summaries[p] = std::move(*built);
      pipeline::release_unused_memory(options.memory);
    }
    return {};
  };
  {
    ThreadGroup threads(error);
    if (shared.lists.splits()) threads.begin("split-0", [&] { return shared.lists.split_all(error.token()); });
    for (std::uint32_t i = 0; i < std::max(1u, options.memory.at_once); ++i)
      threads.begin("writer-" + std::to_string(i), work);
  }
  FROND_TRY(error.result());
  auto terms = FROND_TRY(shared.lists.finish_terms());
  return BuiltPartitions{std::move(summaries), std::move(terms), shared.lists.merge_seconds()};
}

}  // namespace frond::indexer::publish
