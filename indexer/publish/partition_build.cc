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
#include "indexer/publish/document_stream.h"
#include "indexer/publish/partition_lists.h"
#include "indexer/publish/task_pool.h"
#include "indexer/runs/document_lengths.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {
namespace {

using partition::StoredCompression;

constexpr std::uint64_t kRunBytesOfPosting = 2;                     // about
constexpr std::uint64_t kLargeFrameBytes = std::uint64_t{4} << 20;  // of fields: more than a batch of usual records has

// The sample has every 32nd document or fewer for each partition, so a partition has about 32 MiB of fields or more,
// and its copy of a large dictionary is small beside them.
constexpr std::uint64_t kMinStrideOfLarge = 32;
std::size_t dictionary_bytes(const pipeline::FieldSample& sample, std::size_t partitions) {
  return sample.stride() >= kMinStrideOfLarge * partitions ? partition::kLargeDictionaryBytes
                                                           : partition::kDictionaryBytes;
}

// The dictionary of the whole build, empty with StoredCompression::kFast. It is trained by a thread of the pool, while
// others build lists. Any thread.
class BuildDictionary {
 public:
  BuildDictionary(TaskPool& pool, const PartitionBuildOptions& options, std::size_t partitions)
      : how_(options.stored), training_(pool, 0) {
    if (how_ == StoredCompression::kFast) return;
    training_.begin(0, [&sample = options.sample, partitions](std::size_t) -> Result<ByteBuffer> {
      return partition::train_dictionary(sample.bytes(), sample.sizes(), dictionary_bytes(sample, partitions));
    });
  }
  // Waits for the training. The bytes stay as they are. kUnavailable: no memory.
  Result<const ByteBuffer*> bytes() {
    if (how_ == StoredCompression::kFast) return &nothing_;
    const MutexLock lock(mutex_);
    if (!bytes_) {
      bytes_.emplace(training_.take());
      if (*bytes_) trained_.emplace(**bytes_);
    }
    if (!*bytes_) return bytes_->error();
    return &**bytes_;
  }
  // Called after bytes(). trained: with these bytes; otherwise without a dictionary.
  std::unique_ptr<partition::BlockCompressor> compressor(bool trained) const {
    if (trained) return std::make_unique<partition::BlockCompressor>(*trained_);
    return std::make_unique<partition::BlockCompressor>(ByteView(), how_);
  }

 private:
  const StoredCompression how_;
  const ByteBuffer nothing_;
  Mutex mutex_;
  OrderedTasks<ByteBuffer> training_;
  // Set by the first call of bytes(), under mutex_.
  std::optional<Result<ByteBuffer>> bytes_;
  std::optional<partition::CompressionDictionary> trained_;
};

// Shared by all partitions that are being written.
struct Shared {
  const PartitionBuildOptions& options;
  std::atomic<std::uint64_t>& done;
  TaskPool& pool;
  BuildDictionary dictionary;
  ListSupply lists;
  Mutex large_frame;  // held while one is written: there is memory for one long document

  // What a partition's run would have, if postings are held.
  std::uint64_t held_bytes(std::size_t partitions) const {
    if (options.held == nullptr) return 0;
    if (options.held->slices) return options.held->slices->postings() * kRunBytesOfPosting / partitions;
    return options.held->bytes / 2;  // the rest is the dictionary
  }
};

// Writes the documents of one partition.
class DocumentsWriter {
 public:
  // trained: the blocks need the dictionary.
  DocumentsWriter(partition::PartitionWriter& writer, runs::SpoolReader spool, Shared& shared, bool trained,
                  std::stop_token stop)
      : writer_(writer),
        cutter_(std::move(spool), partition::document_block_bytes(shared.options.stored)),
        shared_(shared),
        stop_(std::move(stop)),
        trained_(trained),
        compressors_(shared.pool.threads()),
        tasks_(shared.pool, shared.options.memory.ahead_bytes) {}

  Result<void> write() {
    while (!cutter_.done() && !stop_.stop_requested()) {
      const std::uint64_t bytes = FROND_TRY(cutter_.next_bytes());
      if (bytes <= kLargeFrameBytes) {
        FROND_TRY(write_frame());
        continue;
      }
      FROND_TRY(take_all());
      const MutexLock alone(shared_.large_frame);
      FROND_TRY(write_frame());
      FROND_TRY(take_all());
      pipeline::release_unused_memory();
    }
    return take_all();
  }

 private:
  Result<void> write_frame() {
    std::vector<BlockGroup> groups = FROND_TRY(cutter_.next());
    for (BlockGroup& group : groups) {
      while (tasks_.full()) FROND_TRY(take());
      const std::uint64_t bytes = group.bytes();
      tasks_.begin(bytes, [this, group = std::move(group)](std::size_t worker) mutable -> Result<PackedGroup> {
        auto& compressor = compressors_[worker];
        if (!compressor) compressor = shared_.dictionary.compressor(trained_);
        return pack(std::move(group), *compressor);
      });
    }
    return {};
  }
  Result<void> take() {
    const PackedGroup packed = FROND_TRY(tasks_.take());
    FROND_TRY(add_group(writer_, packed));
    shared_.done += packed.documents.size();
    return {};
  }
  Result<void> take_all() {
    while (!tasks_.empty()) FROND_TRY(take());
    return {};
  }

  partition::PartitionWriter& writer_;
  BlockCutter cutter_;
  Shared& shared_;
  std::stop_token stop_;
  const bool trained_;
  std::vector<std::unique_ptr<partition::BlockCompressor>> compressors_;  // by thread of the pool, which alone uses it
  OrderedTasks<PackedGroup> tasks_;
};

Result<void> write_documents(partition::PartitionWriter& writer, const pipeline::InvertedDocuments::Part& part,
                             std::uint64_t field_bytes, Shared& shared, std::stop_token stop) {
  const ByteBuffer* const dictionary = FROND_TRY(shared.dictionary.bytes());
  const bool trained = !dictionary->empty() && field_bytes >= partition::kMinTrainedBytes;
  if (trained) writer.set_dictionary(*dictionary);
  return DocumentsWriter(writer, FROND_TRY(runs::SpoolReader::open(part.spool)), shared, trained, std::move(stop))
      .write();
}

// A partition takes about as much as the runs and half as much as the spool that it is made from, which are removed
// afterwards. Three quarters of that must be free, or the build fails before the partition is begun.
Result<void> expect_room(const pipeline::InvertedDocuments::Part& part, std::uint64_t held_bytes,
                         const std::filesystem::path& folder, std::uint64_t disk_reserve) {
  std::uint64_t bytes = 0;
  const auto add = [&bytes](const std::filesystem::path& file) {
    std::error_code failed;
    if (const auto size = std::filesystem::file_size(file, failed); !failed) bytes += size;
  };
  add(part.spool);
  bytes /= 2;
  for (const auto& run : part.runs) add(run);
  bytes += held_bytes;
  return repository::expect_room(folder, bytes / 4 * 3, disk_reserve, "writing it");
}

Result<partition::PartitionSummary> build_partition(const pipeline::InvertedDocuments::Part& part, std::uint32_t number,
                                                    const std::filesystem::path& folder, const std::string& id,
                                                    std::size_t partitions, Shared& shared, std::stop_token stop) {
  const PartitionBuildOptions& options = shared.options;
  FROND_TRY(expect_room(part, shared.held_bytes(partitions), folder, options.disk_reserve));
  runs::SpoolContents read;
  const runs::SpoolContents* spool = shared.lists.contents(number);
  if (spool == nullptr) spool = &(read = FROND_TRY(runs::SpoolReader::read_contents(part.spool)));
  const auto writer =
      FROND_TRY(partition::PartitionWriter::create(folder / id, options.average_length, options.memory.id_bytes));
  pipeline::FirstError error(stop);
  PartitionLists lists(*writer, {part.runs, number, folder, spool->lengths}, shared.lists, error);
  error.guard([&]() -> Result<void> {
    FROND_TRY(write_documents(*writer, part, spool->field_bytes, shared, error.token()));
    return error.token().stop_requested() ? Result<void>() : writer->end_documents();
  });
  lists.join();
  FROND_TRY(error.result());
  if (options.held != nullptr) options.held->source.reset();  // there is one partition
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
  TaskPool pool(options.memory.packers);
  Shared shared{options, done, pool, {pool, options, parts.size()}, {options, pool}, {}};
  FROND_TRY(shared.lists.prepare(parts, folder));
  pipeline::FirstError error(stop);
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
      pipeline::release_unused_memory();
    }
    return {};
  };
  {
    std::vector<std::jthread> threads;
    if (shared.lists.reads_device())
      threads.emplace_back([&] {
        name_this_thread("deal-0");
        error.guard([&] { return shared.lists.read_device(error.token()); });
      });
    for (std::uint32_t i = 0; i < std::max(1u, options.memory.at_once); ++i)
      threads.emplace_back([&, i] {
        name_this_thread(("writer-" + std::to_string(i)).c_str());
        error.guard(work);
      });
  }
  FROND_TRY(error.result());
  auto terms = FROND_TRY(shared.lists.finish_terms());
  return BuiltPartitions{std::move(summaries), std::move(terms), shared.lists.merge_seconds()};
}

}  // namespace frond::indexer::publish
