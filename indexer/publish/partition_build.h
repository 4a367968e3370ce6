#pragma once
// The second half of a build: writes each partition's files from its runs and its spool. Four threads a partition read
// and write: "merge-p" merges runs, "lists-p" writes lists, "digests-p" adds up what documents have in them, "writer-p"
// cuts documents into blocks and writes these (stored_fields.h). Where a device or the inverters still have the
// postings, one thread, "split-0", reads them for all partitions in place of "merge-p", or reads lists that the device
// has coded, with digests (partition_lists.h). What takes time, decoding runs, building lists and compressing blocks,
// is done by the threads "packer-i" for all partitions that are written, as many at once as memory and cores allow;
// where these are as many as cores, "writer-p" compresses by itself. Not a byte depends on the number of threads.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "indexer/pipeline/invert_documents.h"
#include "indexer/publish/term_statistics.h"

namespace frond::indexer::publish {

struct PartitionBuildOptions {
  codec::CodecChoice codecs;
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
  std::shared_ptr<const schema::Schema> schema = nullptr;  // null: none
  double b = 0;
  double average_length = 0;            // of the whole collection
  const pipeline::FieldSample& sample;  // of the collection's stored fields
  pipeline::WritePlan memory;
  std::uint64_t disk_reserve = 0;  // bytes of the disk that must stay free
  // The postings, if there are no runs; memory.at_once is the number of partitions then (as from
  // plan_writing_at_once()). Null: all are in runs. Taken. A device that fails while they are read is kDevice.
  pipeline::UnspilledPostings* unspilled = nullptr;
  // Whether to write the statistics of all terms, if no partition was written before and memory.has_terms.
  bool writes_terms = false;
  // By partition, those that an earlier build has written; empty: none.
  std::vector<std::optional<partition::PartitionSummary>> written;
  // Called by any thread when partition p is whole, before its runs and its spool are removed. May be empty.
  std::function<Result<void>(std::uint32_t p, const partition::PartitionSummary&)> finished;
};

struct BuiltPartitions {
  std::vector<partition::PartitionSummary> summaries;
  std::optional<TermsFile> terms{};  // in the folder, if they were written
  double merge_seconds = 0;          // processor time of reading and merging runs, until postings are given to packers
};

// Writes partition p into folder/ids[p], and removes its runs and its spool. `done` counts the documents written.
// Errors name the partition: kCorrupt; kInvalid; kUnavailable: the disk fails or has no space for a partition, or
// stopped.
// REQUIRES: as many ids as parts.
Result<BuiltPartitions> build_partitions(const std::vector<pipeline::InvertedDocuments::Part>& parts,
                                         const std::vector<std::string>& ids, const std::filesystem::path& folder,
                                         const PartitionBuildOptions& options, std::atomic<std::uint64_t>& done,
                                         std::stop_token stop);

}  // namespace frond::indexer::publish
