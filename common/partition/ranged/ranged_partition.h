#pragma once
// What a removal needs of documents of a partition whose files lie elsewhere: their fields, lengths and term digests.
// Bytes and requests are in proportion to the documents that are asked for, whatever the partition's size.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/partition/ranged/ranged_tables.h"

namespace frond::partition {

// One thread.
class RangedPartition {
 public:
  // name: begins the messages of errors. summary: what was published. Reads nothing yet.
  static std::unique_ptr<RangedPartition> open(std::string name, const PartitionSummary& summary, ReadRange read);
  virtual ~RangedPartition() = default;

  struct Document {
    StoredDocument fields;  // borrows, until the visit returns
    std::uint32_t length = 0;
    std::uint64_t term_digest = 0;  // term_digests.h
    // In each text field with field_search, by place in the schema; empty: the partition has none.
    std::vector<std::uint32_t> field_lengths = {};
  };
  using Visit = std::function<Result<void>(DocId docid, const Document& document)>;
  // Visits these documents, ascending, until `visit` returns an error. False: the partition has no term digests; none
  // is visited then.
  //
  // Far from each other, a document takes about five requests and 20 KiB, near to each other less; up to 16 are waited
  // for at a time. Memory: about 64 MiB, and the largest documents. Checksums are verified of fields, but not of
  // lengths and digests: callers compare them with the fields. Errors, naming the partition: kCorrupt, kUnavailable.
  virtual Result<bool> read(std::span<const DocId> docids, const Visit& visit) = 0;
};

// An id takes less, where it is far from others; from so many bytes of ids for each, they are better fetched whole.
inline constexpr std::size_t kBytesPerRangedId = std::size_t{128} << 10;
// Finds a few external ids in a partition whose files lie elsewhere, without all of its ids. For each id, which come in
// byte order: its document; nothing if the partition does not have it. name: begins the messages of errors. summary:
// what was published. Answers are waited for about ten times, whatever the ids' number below 256. Blocks are verified.
// Errors: kCorrupt, kUnavailable.
Result<std::vector<std::optional<DocId>>> find_ids_by_ranges(const std::string& name, const PartitionSummary& summary,
                                                             ReadRange read, std::span<const std::string_view> ids);

}  // namespace frond::partition
