#pragma once
// Writes one partition of a synthetic collection in the form that the indexer writes. The partition is a contiguous
// range of documents.
//
// A stored document has only an id, its ordinal in decimal digits: about 25 bytes on disk. Its length is drawn at
// random. Its terms are those that queries use. Occurrences of one more term, kOtherTerm, fill the rest of its length,
// so that lengths, lists and statistics agree. Of a profile with impacts the terms are all, and a length is their sum.
//
// Memory: 11 bytes per document of the partition, a PartitionWriter, and one list per thread (8 bytes per posting, and
// the list's blobs).
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "common/schema/schema.h"
#include "tools/synth/document_model.h"

namespace frond::tools::synth {

inline constexpr std::string_view kOtherTerm = "other";
// "t" and the list's number in eight digits. Terms sort like the numbers, and every analyzer takes each for one word.
std::string term_of(std::uint32_t list);

struct PartitionOptions {
  codec::CodecChoice codecs;
  double b = 0;
  std::shared_ptr<const schema::Schema> schema = nullptr;  // null: none
  unsigned threads = 1;
};

// Writes documents [begin, end) of the collection to `folder`. Postings depend neither on the ranges of the partitions
// nor on the number of threads. kInvalid: the disk failed; kUnavailable: a stop was requested.
Result<partition::PartitionSummary> write_partition(const CollectionSize& size, std::span<const SyntheticList> lists,
                                                    DocId begin, DocId end, const std::filesystem::path& folder,
                                                    const PartitionOptions& options, std::stop_token stop);

}  // namespace frond::tools::synth
