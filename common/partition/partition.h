#pragma once
// A partition open for reading: one RocksDB database, immutable. All methods may be called from any thread. Errors name
// the database's folder and the key.
//
// What is read is copied out of mapped files and its block's checksum verified, but for long posting lists where they
// are asked for as they are mapped (FileReads::kMapped): to verify such a list costs 40 times what pinning it does, so
// that is done once, by fetch() or verify_checksums(), and a blob that is damaged later is survived by its decoder.
//
// A file that is cut short, or that the disk can't read, while it is open is an error of the partition, and of nothing
// else: intact() tells from then on, and calls that need the disk fail. A mapped list may read as zeros then: whoever
// has used one asks PinnedBytes::intact() before the result is believed.
//
// Memory: 4 bytes a document (lengths), 4 bytes a block of stored fields, RocksDB's few MiB and its indexes (about 20
// bytes for each block of 4 KiB; kBuffered: 4 MiB at most); no block cache.
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

// A value: a copy, or a mapped list's bytes; lists have codec::kReadSlack readable bytes after them. Move-only; keeps
// the partition's database alive.
class PinnedBytes {
 public:
  class Pin;
  PinnedBytes() = default;
  PinnedBytes(ByteView bytes, std::shared_ptr<const Pin> pin) : bytes_(bytes), pin_(std::move(pin)) {}
  PinnedBytes(PinnedBytes&&) noexcept = default;
  PinnedBytes& operator=(PinnedBytes&&) noexcept = default;
  ByteView bytes() const { return bytes_; }
  // Of a mapped list: its file is still as long as it was, and could be read. Asked for after the bytes were used: only
  // then were they what they seemed. Costs a system call; a copy's costs nothing. kCorrupt, kUnavailable.
  Result<void> intact() const;
  // The same, narrowed to its last `count` bytes, at most all of them.
  PinnedBytes last(std::size_t count) && { return {bytes_.last(count), std::move(pin_)}; }

 private:
  ByteView bytes_;
  std::shared_ptr<const Pin> pin_;
};

struct TermStatistics {
  std::uint64_t document_frequency = 0;  // postings, in this partition
  std::uint64_t occurrences = 0;         // sum of frequencies
  std::uint32_t segments = 0;
};

// A term's whole list: its segments in order, ready for postings::PostingList::open.
struct TermList {
  TermStatistics statistics;
  std::vector<PinnedBytes> segments;
};

struct OwnedDocument {
  std::string id, url, title, body;
};

// Entries of each table, as stored.
struct EntryCounts {
  std::uint64_t terms = 0, segments = 0, document_blocks = 0, ids = 0;
  friend bool operator==(const EntryCounts&, const EntryCounts&) = default;
};

// A key, for messages: in quotes, printable, cut after 80 bytes.
std::string printable(std::string_view key);

// Terms in byte order, pulled. One thread; keeps its database alive.
class TermCursor {
 public:
  virtual ~TermCursor() = default;
  // Moves to the next term; false when there is none. kCorrupt.
  virtual Result<bool> next() = 0;
  // Valid until the next call of next().
  virtual std::string_view term() const = 0;
  virtual const TermStatistics& statistics() const = 0;
};

// How the files of a partition are read. What is mapped counts as resident memory of the process until the system wants
// it back.
enum class FileReads : std::uint8_t {
  kMapped,    // long posting lists are handed out where they are mapped: not copied, and to be believed only if
              // PinnedBytes::intact() says so afterwards; the rest as kCopied
  kCopied,    // from mappings, into memory of the process, verified
  kBuffered,  // a block at a time, verified, within a few MiB: for reading a partition once, within a memory limit
};

class Partition {
 public:
  // Makes the database `database` from a partition's verified files (named as PartitionFile::name, in `files_folder`)
  // and marks it complete last. `move`: files are moved, and the mark follows when all is synced. Else they are linked
  // or copied and nothing is synced: for looking into a partition; files are read buffered then. A folder left by an
  // interrupted call is removed first; kInvalid if a complete one is there. kCorrupt: a file is missing or of another
  // size (its checksum is the caller's business), or RocksDB refuses it; kUnavailable: the disk.
  static Result<void> ingest(const std::filesystem::path& files_folder, std::span<const PartitionFile> files,
                             const std::filesystem::path& database, bool move);
  // True if ingest() finished there.
  static bool complete(const std::filesystem::path& database);
  // Opens read-only and validates metadata. kNotFound, kCorrupt, kUnavailable (the disk; as every method below).
  static Result<std::shared_ptr<const Partition>> open(const std::filesystem::path& database,
                                                       FileReads reads = FileReads::kCopied);
  virtual ~Partition() = default;

  virtual std::uint32_t documents() const = 0;
  virtual std::uint64_t tokens() const = 0;
  virtual double built_average_length() const = 0;
  // lengths()[docID]: tokens of the document. Dense, in memory.
  virtual std::span<const std::uint32_t> lengths() const = 0;
  // kNotFound: the partition has no such term.
  virtual Result<TermStatistics> term(std::string_view term) const = 0;
  // The term's statistics and all its segments, in one look-up for a short list. kNotFound, kCorrupt.
  virtual Result<TermList> list(std::string_view term) const = 0;
  // One segment of a term's list. kNotFound, kCorrupt.
  virtual Result<PinnedBytes> segment(std::string_view term, std::uint32_t number) const = 0;
  virtual Result<OwnedDocument> document(DocId docid) const = 0;
  // Tells `visit` of each of `docids` in turn: its place there, and the document, or why it can't be had (kNotFound,
  // kCorrupt, kUnavailable). The views are valid during the call; false ends the reading. Documents in a row are stored
  // together, so ascending docIDs cost least: each block is then read and decompressed once. Meant for showing them: of
  // a document of more than a MiB the field that is there is cut, anywhere, and those behind it are empty, in the order
  // id, URL, title, body; so no document costs more memory and time than that, and 2 MiB.
  using DocumentVisit = std::function<bool(std::size_t place, const Result<StoredDocument>& document)>;
  virtual void read_documents(std::span<const DocId> docids, const DocumentVisit& visit) const = 0;
  virtual Result<DocId> docid_of(std::string_view external_id) const = 0;
  // Every term in byte order, until `visit` returns false.
  virtual Result<void> for_each_term(
      const std::function<bool(std::string_view term, const TermStatistics&)>& visit) const = 0;
  // The same, pulled: for merging partitions.
  virtual std::unique_ptr<TermCursor> terms() const = 0;
  // Every document in docID order, until `visit` returns false. The views are valid during the call.
  virtual Result<void> for_each_document(const std::function<bool(DocId, const StoredDocument&)>& visit) const = 0;
  // What the partition says of itself; without files.
  virtual const PartitionSummary& summary() const = 0;
  // Counts the entries of every table, and compares with what the writer counted: kCorrupt where they differ.
  virtual Result<EntryCounts> count_entries() const = 0;
  // Reads every block of every file and verifies its checksum.
  virtual Result<void> verify_checksums() const = 0;
  // No file was cut short or unreadable so far as anybody has seen: else which (kCorrupt, kUnavailable), and for good.
  // Costs one atomic read.
  virtual Result<void> intact() const = 0;
  // The same, having looked at the size of every file.
  virtual Result<void> check_files() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
};

}  // namespace frond::partition
