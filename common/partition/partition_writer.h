#pragma once
// Writes one partition: its SST files, ready to be ingested by a leaf. Column families and keys:
// docs/formats/partition.md. One thread. finish() syncs every file; the names of the files are synced by who publishes
// them.
//
// Memory, whatever the partition's size: about 33 MiB, three times the largest document, and what external ids are
// sorted in (more of them go to a scratch file in the folder, already unlinked while it is in use). That is 4 MiB of
// document lengths, up to 4 MiB of stored fields to train a dictionary from, the compressor, and RocksDB's index of the
// file at hand.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace frond::partition {

// What the writer takes; more is kInvalid, naming the term or the document.
inline constexpr std::size_t kMaxTermBytes = 1024;
inline constexpr std::uint32_t kMaxSegments = 1u << 16;
inline constexpr std::size_t kMaxSegmentBytes = 4u << 20;
inline constexpr std::size_t kMaxIdBytes = 64u << 10;
inline constexpr std::size_t kMaxDocumentBytes = 64u << 20;  // all fields of one document

// The stored fields of a document. Views borrow.
struct StoredDocument {
  std::string_view id, url, title, body;
};

struct PartitionFile {
  std::string name;  // "<column family>-<number>.sst", unique in the partition
  std::uint64_t bytes = 0;
  std::string xxh3;  // XXH3-128 of the whole file, 32 hex digits
  friend bool operator==(const PartitionFile&, const PartitionFile&) = default;
};

struct PartitionSummary {
  std::uint64_t documents = 0, tokens = 0, terms = 0, postings = 0;
  std::uint64_t docid_bytes = 0, frequency_bytes = 0, index_bytes = 0, bound_bytes = 0,
                header_bytes = 0;  // of the list blobs
  double built_average_length = 0;
  std::vector<PartitionFile> files;
};

class PartitionWriter {
 public:
  static constexpr std::size_t kIdBytes = std::size_t{32} << 20;
  // `folder` is created, empty. built_average_length: what the blobs' deficits were computed with. id_bytes: to sort
  // ids in.
  static Result<std::unique_ptr<PartitionWriter>> create(const std::filesystem::path& folder,
                                                         double built_average_length, std::size_t id_bytes = kIdBytes);
  virtual ~PartitionWriter() = default;

  // Lists in ascending byte order of their terms; `segments` from postings::ListBuilder. kInvalid: out of order, a
  // term that is empty or holds a NUL, segments that do not open or hold another number of postings.
  virtual Result<void> add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                                std::span<const ByteBuffer> segments) = 0;
  // Documents in docID order from 0, `length` in tokens. May interleave with add_list.
  virtual Result<void> add_document(const StoredDocument& document, std::uint32_t length) = 0;
  // Writes what is buffered, syncs, checksums; nothing may be added after it. kInvalid names an id that two documents
  // have. kUnavailable, here and above: a file can't be written; the message names it.
  virtual Result<PartitionSummary> finish() = 0;
};

}  // namespace frond::partition
