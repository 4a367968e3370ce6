#include "indexer/publish/partition_build.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/repository/disk_space.h"
#include "indexer/pipeline/first_error.h"
#include "indexer/pipeline/memory.h"
#include "indexer/publish/list_stream.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {
namespace {

constexpr std::size_t kListBytesAhead = std::size_t{2} << 20;
constexpr std::uint64_t kLargeFrameBytes = std::uint64_t{4} << 20;  // of fields: more than a batch of usual records has

Result<void> add_lists(partition::PartitionWriter& writer, const BuiltLists& lists) {
  for (const BuiltList& list : lists)
    FROND_TRY(writer.add_list(list.term, list.document_frequency, list.occurrences, list.segments));
  return {};
}

Result<void> add_documents(partition::PartitionWriter& writer, const runs::DocumentFrame& frame) {
  for (std::size_t i = 0; i < frame.documents().size(); ++i)
    FROND_TRY(writer.add_document(frame.documents()[i], frame.length(i)));
  return {};
}

// Shared by all partitions that are being written.
struct Shared {
  const PartitionBuildOptions& options;
  std::atomic<std::uint64_t>& done;
  Mutex large_frame;  // held while one is written: there is memory for one long document
};

// The documents of the next frame, which is not the last.
Result<void> add_frame(partition::PartitionWriter& writer, runs::SpoolReader& spool, Shared& shared) {
  const std::optional<runs::DocumentFrame> frame = FROND_TRY(spool.next());
  if (!frame) return {};
  FROND_TRY(add_documents(writer, *frame));
  shared.done += frame->documents().size();
  return {};
}

// Writes lists as they come, and documents in between.
Result<void> write_all(partition::PartitionWriter& writer, runs::SpoolReader& spool,
                       pipeline::BoundedQueue<BuiltLists>& lists, Shared& shared, std::stop_token stop) {
  while (!stop.stop_requested()) {
    while (const std::optional<BuiltLists> some = lists.try_pop()) FROND_TRY(add_lists(writer, *some));
    const std::uint64_t bytes = FROND_TRY(spool.next_bytes());
    if (bytes == 0) break;
    if (bytes <= kLargeFrameBytes) {
      FROND_TRY(add_frame(writer, spool, shared));
      continue;
    }
    const MutexLock alone(shared.large_frame);
    FROND_TRY(add_frame(writer, spool, shared));
    pipeline::release_unused_memory();
  }
  while (const std::optional<BuiltLists> some = lists.pop(stop)) FROND_TRY(add_lists(writer, *some));
  return {};
}

// A partition takes about as much as the runs and the spool that it is made from, which are removed afterwards. So much
// must be free, or the build fails before the partition is begun.
Result<void> expect_room(const pipeline::InvertedDocuments::Part& part, const std::filesystem::path& folder,
                         std::uint64_t disk_reserve) {
  std::uint64_t bytes = 0;
  const auto add = [&bytes](const std::filesystem::path& file) {
    std::error_code failed;
    if (const auto size = std::filesystem::file_size(file, failed); !failed) bytes += size;
  };
  for (const auto& run : part.runs) add(run);
  add(part.spool);
  return repository::expect_room(folder, bytes / 4 * 3, disk_reserve, "writing it");
}

Result<partition::PartitionSummary> build_partition(const pipeline::InvertedDocuments::Part& part, std::uint32_t number,
                                                    const std::filesystem::path& folder, const std::string& id,
                                                    Shared& shared, std::stop_token stop) {
  const PartitionBuildOptions& options = shared.options;
  FROND_TRY(expect_room(part, folder, options.disk_reserve));
  const std::vector<std::uint32_t> lengths = FROND_TRY(runs::SpoolReader::read_lengths(part.spool));
  const auto writer =
      FROND_TRY(partition::PartitionWriter::create(folder / id, options.average_length, options.memory.id_bytes));
  runs::SpoolReader spool = FROND_TRY(runs::SpoolReader::open(part.spool));
  pipeline::BoundedQueue<BuiltLists> lists(kListBytesAhead);
  pipeline::FirstError error(stop);
  {
    const ListSource source{part.runs, number, folder, lengths, options.codecs, options.b, options.average_length};
    const std::jthread thread([&] {
      name_this_thread(("lists-" + std::to_string(number)).c_str());
      error.guard([&] { return stream_lists(source, lists, error.token()); });
      lists.close();
    });
    error.guard([&] { return write_all(*writer, spool, lists, shared, error.token()); });
  }
  FROND_TRY(error.result());
  auto summary = FROND_TRY(writer->finish());
  std::error_code ignored;  // the folder goes as a whole anyway
  for (const auto& run : part.runs) std::filesystem::remove(run, ignored);
  std::filesystem::remove(part.spool, ignored);
  return summary;
}

}  // namespace

Result<std::vector<partition::PartitionSummary>> build_partitions(
    const std::vector<pipeline::InvertedDocuments::Part>& parts, const std::vector<std::string>& ids,
    const std::filesystem::path& folder, const PartitionBuildOptions& options, std::atomic<std::uint64_t>& done,
    std::stop_token stop) {
  FROND_CHECK(ids.size() == parts.size());
  std::vector<partition::PartitionSummary> summaries(parts.size());
  std::atomic<std::uint32_t> next = 0;
  Shared shared{options, done, {}};
  pipeline::FirstError error(stop);
  const auto work = [&]() -> Result<void> {
    for (std::uint32_t p = next++; p < parts.size() && !error.token().stop_requested(); p = next++) {
      auto built = build_partition(parts[p], p, folder, ids[p], shared, error.token());
      if (!built) return std::move(built).error().within("partition " + std::to_string(p));
      summaries[p] = std::move(*built);
      pipeline::release_unused_memory();
    }
    return {};
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < std::max(1u, options.memory.at_once); ++i)
      threads.emplace_back([&, i] {
        name_this_thread(("writer-" + std::to_string(i)).c_str());
        error.guard(work);
      });
  }
  FROND_TRY(error.result());
  return summaries;
}

}  // namespace frond::indexer::publish
