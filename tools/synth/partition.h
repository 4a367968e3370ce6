#pragma once
// Writes one partition of a synthetic collection, a contiguous range of its documents, as the indexer does.
//
// A stored document has an id, its ordinal in decimal digits, and nothing else: about 25 bytes on disk. Its length is
// drawn, its terms are those that queries use. The rest of its length is filled with occurrences of one more term,
// kOtherTerm, so that lengths, lists and statistics agree.
//
// Memory: 11 bytes for each document of the partition, a PartitionWriter, and one list for each thread: 8 bytes a
// posting and the list's blobs.
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "tools/synth/list_model.h"

namespace frond::tools::synth {

inline constexpr std::string_view kOtherTerm = "other";
// "t" and the list's number in eight digits: sorts like the number, and is one word to every analyzer.
std::string term_of(std::uint32_t list);

struct PartitionOptions {
  codec::CodecChoice codecs;
  double b = 0;
  unsigned threads = 1;
};

// Writes documents [begin, end) of the collection to `folder`. Postings depend neither on where partitions are cut nor
// on the number of threads. kInvalid: the disk failed; kUnavailable: stopped.
Result<partition::PartitionSummary> write_partition(const CollectionSize& size, std::span<const SyntheticList> lists,
                                                    DocId begin, DocId end, const std::filesystem::path& folder,
                                                    const PartitionOptions& options, std::stop_token stop);

}  // namespace frond::tools::synth
