#pragma once
// A partition open for reading: its files, which are tables of RocksDB. All methods may be called from any thread.
// Errors name the folder and the key.
//
// Values are copied out of mapped files after the checksum of their block was verified. With FileReads::kMapped, long
// posting lists are handed out as mapped, unverified: verifying costs 40 times as much as pinning a list. Their
// checksums are verified once, when a partition is fetched, by verify_checksums(); decoders survive later damage.
//
// If a file is cut short or the disk can't read it while it is open, only this partition fails: intact() returns an
// error from then on, and so do calls that need the disk. A mapped list may then read as zeros, so callers ask
// PinnedBytes::intact() after using one, before they rely on the result.
//
// Memory: 4 bytes a document (lengths) and 4 more if there are priors, 4 bytes a block of stored fields, 20 a chunk of
// heads, and RocksDB's indexes (about 20 bytes for each block of 4 KiB; kBuffered: 256 KiB, and those that are read
// from); RocksDB has no block cache. Documents read for showing may be kept in a DocumentBlockCache, which partitions
// share. With a schema and kMapped: 4 bytes a document for each text field with field_search, 24 bytes a chunk of token
// codes, 100 a chunk of a column and field, and copies of chunks below 16 KiB.
#include <array>
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
#include "common/partition/documents/document_priors.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

class DocumentBlockCache;
class StoredSequences;
class ValueColumn;

// A value: a copy, or the bytes of a mapped list. Lists have codec::kReadSlack readable bytes after them. Move-only;
// keeps the partition's database alive.
class PinnedBytes {
 public:
  class Pin;
  PinnedBytes() = default;
  PinnedBytes(ByteView bytes, std::shared_ptr<const Pin> pin) : bytes_(bytes), pin_(std::move(pin)) {}
  PinnedBytes(PinnedBytes&&) noexcept = default;
  PinnedBytes& operator=(PinnedBytes&&) noexcept = default;
  ByteView bytes() const { return bytes_; }
  // For a mapped list: whether its file still has its length and could be read. Called after the bytes were used; if it
  // fails, they may have been zeros. Costs a system call; nothing for a copy. Errors: kCorrupt, kUnavailable.
  Result<void> intact() const;
  // Narrows this to its last `count` bytes, of which there are as many.
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

// A term's whole list: its segments in order, for postings::PostingList::open().
struct TermList {
  TermStatistics statistics;
  std::vector<PinnedBytes> segments;
};

struct OwnedDocument {
  std::string id, url, title, body;
};

inline constexpr std::size_t kValueKinds = 3;  // token codes, columns, sources: kValueFiles of format.h

// Entries of each table, as stored.
struct EntryCounts {
  std::uint64_t terms = 0, segments = 0, document_blocks = 0, ids = 0;
  std::array<std::uint64_t, kValueKinds> values = {};
  friend bool operator==(const EntryCounts&, const EntryCounts&) = default;
};

// A key as messages show it: in quotes, printable, cut after 80 bytes.
std::string printable(std::string_view key);

// Iterates over terms in byte order. One thread; keeps its database alive.
class TermCursor {
 public:
  virtual ~TermCursor() = default;
  // Moves to the next term; false if there is none. Errors: kCorrupt, kUnavailable.
  virtual Result<bool> next() = 0;
  // Valid until the next call of next().
  virtual std::string_view term() const = 0;
  virtual const TermStatistics& statistics() const = 0;
  // The term's list, if it is a short one that lies beside the statistics; without slack behind it. Empty: it does not,
  // or the cursor does not tell.
  virtual ByteView inline_list() const { return {}; }
};

// How the files of a partition are read. Mapped pages count as the process's resident memory until the system reclaims
// them.
enum class FileReads : std::uint8_t {
  kMapped,    // long posting lists are handed out as mapped, not copied: ask PinnedBytes::intact() after using one;
              // the rest as kCopied
  kCopied,    // values are copied from mapped files and verified
  kBuffered,  // a block at a time, verified, within a few MiB: for reading a partition once, within a memory limit
};

// Reads documents one by one, whole. One thread; its partition outlives it. The block of stored fields that was read
// last is held, up to 1 MiB, so ascending docIDs read and decompress each block once.
class DocumentCursor {
 public:
  virtual ~DocumentCursor() = default;
  // Errors as Partition::document().
  virtual Result<OwnedDocument> document(DocId docid) = 0;
};

class Partition {
 public:
  // Puts a partition's files (named as PartitionFile::name, in `files_folder`) into a folder of their own, with a list
  // of them, which is written last. With `move`, files are moved, and the list is written after everything was synced.
  // Without, files are linked or copied, and nothing is synced: for looking into a partition once. A folder left by an
  // interrupted call is removed first; with `move` a complete partition, too, once all files were seen. Errors:
  // kInvalid if a complete partition is there without `move`; kCorrupt if a file is missing, has another size (callers
  // verify checksums), has no table's name or is named twice; kUnavailable if the disk fails.
  static Result<void> ingest(const std::filesystem::path& files_folder, std::span<const PartitionFile> files,
                             const std::filesystem::path& folder, bool move);
  // Whether ingest() finished there.
  static bool complete(const std::filesystem::path& folder);
  // Opens a partition's files read-only and validates its metadata. Errors: kCorrupt, also if a file is missing, has
  // another size, no table's name or is named twice; kUnavailable if the disk fails, from every method below, too.
  // `cache`, which may be null, is used by read_documents() only; when the partition closes, its blocks are dropped.
  // Files may be unlinked while it is open.
  static Result<std::shared_ptr<const Partition>> open(const std::filesystem::path& folder,
                                                       std::span<const PartitionFile> files,
                                                       FileReads reads = FileReads::kCopied,
                                                       std::shared_ptr<DocumentBlockCache> cache = nullptr);
  // The same of a folder that ingest() made; kNotFound: it did not finish.
  static Result<std::shared_ptr<const Partition>> open(const std::filesystem::path& folder,
                                                       FileReads reads = FileReads::kCopied,
                                                       std::shared_ptr<DocumentBlockCache> cache = nullptr);
  virtual ~Partition() = default;

  virtual std::uint32_t documents() const = 0;
  virtual std::uint64_t tokens() const = 0;
  virtual double built_average_length() const = 0;
  // lengths()[docID]: tokens of the document. In memory.
  virtual std::span<const std::uint32_t> lengths() const = 0;
  // Their static priors, in memory; null: no document has one.
  virtual const DocumentPriors* priors() const = 0;
  // kNotFound if the partition does not have the term.
  virtual Result<TermStatistics> term(std::string_view term) const = 0;
  // The term's statistics and all its segments; a short list takes one look-up. Errors: kNotFound, kCorrupt.
  virtual Result<TermList> list(std::string_view term) const = 0;
  virtual Result<OwnedDocument> document(DocId docid) const = 0;
  virtual std::unique_ptr<DocumentCursor> document_cursor() const = 0;
  // Calls `visit` for each of `docids` in turn with its place there and the document, or an error (kNotFound, kCorrupt,
  // kUnavailable). The views are valid during the call; reading ends if it returns false. Adjacent documents are stored
  // together, so ascending docIDs are fastest: each block is read and decompressed once. For showing documents: only
  // the first 120 KiB of a document are read for certain, in the order id, URL, title, body; the field that reaches
  // past what is read is cut at any byte, later ones are empty. So no document takes more than about 1 MiB of memory.
  using DocumentVisit = std::function<bool(std::size_t place, const Result<StoredDocument>& document)>;
  virtual void read_documents(std::span<const DocId> docids, const DocumentVisit& visit) const = 0;
  // The same for ids, URLs and titles only; bodies are empty. With FileReads::kMapped, partitions that hold these
  // fields apart (docs/formats/partition.md: heads) read no body, look nothing up and decompress nothing; each head has
  // a checksum, which is verified. Others read documents.
  virtual void read_heads(std::span<const DocId> docids, const DocumentVisit& visit) const = 0;
  // Of a collection with a schema: the one that the partition was written with, which the collection's extends. Null:
  // it has none, and then nothing of what follows.
  virtual const schema::Schema* schema() const = 0;
  // With FileReads::kMapped only, as lengths_in() and token_codes(): other ways of reading have none. A column by its
  // field's place in the schema; null: no document of the partition has a value there, or it is no column. Mapped, and
  // checked when the partition was opened; callers ask intact() before they rely on what came of it.
  virtual const ValueColumn* column(std::uint32_t field) const = 0;
  // Tokens of each document in a text field with field_search; null: no document has any. In memory; the vector is the
  // same each time.
  virtual std::shared_ptr<const std::vector<std::uint32_t>> lengths_in(std::uint32_t field) const = 0;
  // The record of the document's words in their order (values/token_codes.h); empty: it has none. Mapped as columns
  // are, but not checked: TokenCodes::open() does that. Takes a few nanoseconds.
  virtual ByteView token_codes(DocId docid) const = 0;
  // All of these, as a device keeps them (values/stored_sequences.h); null: no document has one.
  virtual const StoredSequences* sequences() const = 0;
  // The document as it was given; empty: it was not kept.
  virtual Result<std::string> source(DocId docid) const = 0;
  // The record that StoredDocument::values was written with, put together again; empty: it has none. For merging and
  // checking: what a chunk holds is kept, so ascending docIDs read each once. Memory: chunks of all kinds, copied.
  virtual Result<ByteBuffer> values_of(DocId docid) const = 0;
  virtual Result<DocId> docid_of(std::string_view external_id) const = 0;
  // Visits every term in byte order, until `visit` returns false.
  virtual Result<void> for_each_term(
      const std::function<bool(std::string_view term, const TermStatistics&)>& visit) const = 0;
  // The same as an iterator, for merging partitions.
  virtual std::unique_ptr<TermCursor> terms() const = 0;
  // Visits every document in docID order, until `visit` returns false. The views are valid during the call.
  virtual Result<void> for_each_document(const std::function<bool(DocId, const StoredDocument&)>& visit) const = 0;
  // Reads every document and compares it with what is held apart for read_heads(). kCorrupt if they differ.
  virtual Result<void> check_heads() const = 0;
  // By docID (term_digests.h); empty if the partition has none. Read now, for checking.
  virtual Result<std::vector<std::uint64_t>> term_digests() const = 0;
  // The summary that the writer stored; without files.
  virtual const PartitionSummary& summary() const = 0;
  // Counts the entries of every table. kCorrupt if they differ from the writer's counts.
  virtual Result<EntryCounts> count_entries() const = 0;
  // Reads every block of every file and verifies its checksum.
  virtual Result<void> verify_checksums() const = 0;
  // kCorrupt or kUnavailable, naming the file, once a file was found cut short or unreadable; stays so. Costs one
  // atomic read.
  virtual Result<void> intact() const = 0;
  // The same after checking the size of every file.
  virtual Result<void> check_files() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
};

}  // namespace frond::partition
