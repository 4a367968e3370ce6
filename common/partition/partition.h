#pragma once
// A partition open for reading: one RocksDB database, immutable. All methods may be called from any thread.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// A value pinned where RocksDB holds it (a mapped file), with codec::kReadSlack readable bytes after it. Move-only;
// keeps the partition's database alive.
class PinnedBytes {
 public:
  class Pin;
  PinnedBytes();
  PinnedBytes(ByteView bytes, std::shared_ptr<const Pin> pin) : bytes_(bytes), pin_(std::move(pin)) {}
  ByteView bytes() const { return bytes_; }

 private:
  ByteView bytes_;
  std::shared_ptr<const Pin> pin_;
};

struct TermStatistics {
  std::uint64_t document_frequency = 0;  // postings, in this partition
  std::uint64_t occurrences = 0;         // sum of frequencies
  std::uint32_t segments = 0;
};

struct OwnedDocument {
  std::string id, url, title, body;
};

class Partition {
 public:
  // Makes the database `database` from a partition's verified files (named as PartitionFile::name, in `files_folder`)
  // and marks it complete last; files are moved when `move` is set, else hard-linked or copied. A folder left by an
  // interrupted call is removed first.
  static Result<void> ingest(const std::filesystem::path& files_folder, std::span<const PartitionFile> files,
                             const std::filesystem::path& database, bool move);
  // True if ingest() finished there.
  static bool complete(const std::filesystem::path& database);
  // Opens read-only and validates metadata. kNotFound, kCorrupt.
  static Result<std::shared_ptr<const Partition>> open(const std::filesystem::path& database);
  virtual ~Partition() = default;

  virtual std::uint32_t documents() const = 0;
  virtual std::uint64_t tokens() const = 0;
  virtual double built_average_length() const = 0;
  // lengths()[docID]: tokens of the document. Dense, in memory.
  virtual std::span<const std::uint32_t> lengths() const = 0;
  // kNotFound: the partition has no such term.
  virtual Result<TermStatistics> term(std::string_view term) const = 0;
  // One segment of a term's list. kNotFound, kCorrupt.
  virtual Result<PinnedBytes> segment(std::string_view term, std::uint32_t number) const = 0;
  virtual Result<OwnedDocument> document(DocId docid) const = 0;
  virtual Result<DocId> docid_of(std::string_view external_id) const = 0;
  // Every term in byte order, until `visit` returns false.
  virtual Result<void> for_each_term(
      const std::function<bool(std::string_view term, const TermStatistics&)>& visit) const = 0;
  // Reads every block of every file and verifies its checksum.
  virtual Result<void> verify_checksums() const = 0;
};

}  // namespace frond::partition
