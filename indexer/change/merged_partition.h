#pragma once
// One partition made of others: their documents that are not hidden, in the order of their ordinals, with their lists
// and stored fields. Nothing is analysed again.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/ids.h"
#include "common/base/placement.h"
#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition.h"
#include "indexer/change/waiting.h"

namespace frond::indexer::change {

struct MergeSource {
  std::shared_ptr<const partition::Partition> partition;
  Placement placement;
  std::span<const DocId> hidden;  // ascending
};

// A document of what is merged. Sorted by ordinal.
struct MergedDocument {
  Ordinal ordinal = 0;
  std::uint32_t source = 0;
  DocId docid = 0;
};
// All that are not hidden, in the order of their ordinals: 16 bytes each.
std::vector<MergedDocument> merged_documents(std::span<const MergeSource> sources);

struct MergeOptions {
  codec::CodecChoice codecs;
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
  std::shared_ptr<const schema::Schema> schema = nullptr;  // extends those of the sources; null: none
  double b = 0, average_length = 0;                        // for the bounds of lists
  Pace* pace = nullptr;  // counts documents, uncompressed, and lists; null: as fast as it can be
  std::atomic<std::uint64_t>* documents_written = nullptr;
};

// Writes `documents`, a part of merged_documents(), as a partition into `folder`, which is made anew. Document i
// becomes docID i. Reads a list of each source at a time, and of it only the blocks between the first and the last
// document. Memory: 4 bytes a document of the sources, 8 a document, 12 a posting of the longest list, 1 MiB
// a source, what PartitionWriter takes; with a schema also the values of 4,096 documents of each source. Errors:
// kCorrupt, kUnavailable, also if stopped.
Result<partition::PartitionSummary> write_merged(std::span<const MergeSource> sources,
                                                 std::span<const MergedDocument> documents,
                                                 const std::filesystem::path& folder, const MergeOptions& options,
                                                 std::stop_token stop);

}  // namespace frond::indexer::change
