#pragma once
// The posting lists of one partition: merges its runs and builds each list's blobs. This takes about as long as
// compressing documents and writing files, so it has a thread of its own.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "indexer/pipeline/bounded_queue.h"

namespace frond::indexer::publish {

// One term's list, ready for PartitionWriter::add_list.
struct BuiltList {
  std::string term;
  std::uint64_t document_frequency = 0, occurrences = 0;
  std::vector<ByteBuffer> segments;
};
using BuiltLists = std::vector<BuiltList>;

struct ListSource {
  std::vector<std::filesystem::path> runs;
  std::uint32_t partition = 0;
  std::filesystem::path scratch;           // a folder for merging many runs into fewer
  std::span<const std::uint32_t> lengths;  // of the partition's documents
  const codec::CodecChoice& codecs;
  double b = 0, average_length = 0;
};

// Merges until the end, or until `stop`. Lists go to `out` in term order, several at a time, weighted by their bytes;
// the caller closes it. kCorrupt: the message names the run; kUnavailable.
Result<void> stream_lists(const ListSource& source, pipeline::BoundedQueue<BuiltLists>& out, std::stop_token stop);

}  // namespace frond::indexer::publish
