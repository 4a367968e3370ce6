#pragma once
// Heads: the id, URL and title of a document, stored apart from its body for answers that show no text. A chunk holds
// the heads of adjacent documents, uncompressed. Layout: docs/formats/partition.md. Internal to this folder.
//
// Readers use chunks as mapped, without a checksum of the whole, so each head has a checksum of its own. It also tells
// when the bytes of a file that was cut short read as zeros (mapped_file.h).
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/documents/document_reader.h"
#include "common/partition/files/database.h"
#include "common/partition/partition.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// A chunk ends with the head that fills it.
inline constexpr std::size_t kHeadChunkBytes = 128u << 10;
// A stored head, with its checksum and lengths. Three fields of the lengths that ingest allows fit
// (common/text/limits.h). Longer heads are not stored: their places are empty, and readers take the block of
// stored fields.
inline constexpr std::size_t kMaxHeadBytes = 4u << 10;

// Appends the document's head to `heads`; nothing if it is too long.
void append_head(const StoredDocument& document, DocId docid, ByteBuffer& heads);
// A chunk of the heads of documents from `first` on. ends: where each head ends in `heads`.
ByteBuffer encode_head_chunk(ByteView heads, std::span<const std::uint32_t> ends);

// A chunk of which `count` heads are expected. Any bytes are survived, also bytes that become zeros meanwhile: nothing
// that was read is relied on later.
class HeadChunk {
 public:
  HeadChunk(ByteView bytes, std::uint32_t count) : bytes_(bytes), count_(count) {}
  // Errors: kCorrupt unless the chunk says `count` and its places fit in it. Each place is checked when it is read.
  Result<void> validate() const;
  // The bytes of head `index`, which is below `count`, for parse_head(); empty if the chunk does not have it. Errors:
  // kCorrupt. The chunk is valid.
  Result<ByteView> head(std::uint32_t index) const;
  // Where the place of head `index` is stored, for a prefetch.
  const std::byte* place(std::uint32_t index) const { return bytes_.data() + place_offset(index); }

 private:
  static std::size_t place_offset(std::size_t index) { return sizeof(std::uint32_t) * (1 + index); }
  std::size_t begin_of_heads() const { return place_offset(std::size_t{count_} + 1); }

  ByteView bytes_;
  std::uint32_t count_;
};

// The fields of a head; the body is empty. The views borrow `head`, which is a copy: mapped bytes may change between
// the check and their use. Errors: kCorrupt, also if it is not the head of document `docid`.
Result<StoredDocument> parse_head(ByteView head, DocId docid);

// Reads the heads of documents (heads.h) where they are mapped: no look-up in RocksDB, no decompression, no body.
// Internal to this folder.
//
// A chunk is looked up when it is first used, and its place is kept: 16 bytes a chunk of 128 KiB, and 4 bytes for its
// first docID. Chunks below kLongBlockBytes, of which a partition has one, its last, are kept as copies.

// Any thread.
class HeadReader {
 public:
  // starts: the first docID of each chunk, ascending from 0; empty if the partition has no heads. `documents` reads the
  // documents that have none.
  HeadReader(std::shared_ptr<const Database> database, std::uint32_t documents, std::vector<DocId> starts,
             const DocumentReader& reader);

  // As Partition::read_heads().
  void read(std::span<const DocId> docids, const Partition::DocumentVisit& visit) const;
  // As Partition::check_heads().
  Result<void> check() const;

 private:
  // Where a chunk's bytes are; null until it is first used. `bytes` is stored before `begin`.
  struct Slot {
    std::atomic<const std::byte*> begin{nullptr};
    std::atomic<std::uint32_t> bytes{0};
  };
  struct Found;
  class Checker;

  std::uint32_t count_of(std::size_t chunk) const;
  std::size_t chunk_of(DocId docid) const;
  Result<HeadChunk> chunk(std::size_t number) const;
  Result<ByteView> load(std::size_t number) const;
  // These are the steps of reading a head, done for a few documents in turn, since each waits for memory.
  void find_place(DocId docid, Found& found) const;
  void find_bytes(Found& found) const;
  Result<StoredDocument> take(DocId docid, const Found& found, std::span<std::byte> copy) const;
  // Reads heads from the documents' blocks. Returns false if the visitor wants no more.
  bool read_documents(std::span<const DocId> docids, std::size_t first_place,
                      const Partition::DocumentVisit& visit) const;
  Error within_document(DocId docid, Error error) const;

  const std::shared_ptr<const Database> database_;
  const std::uint32_t documents_;
  const std::vector<DocId> starts_;
  const DocumentReader& reader_;
  const std::unique_ptr<Slot[]> slots_;
  mutable Mutex mutex_;
  mutable std::vector<PinnedBytes> copies_ FROND_GUARDED_BY(mutex_);  // of short chunks
};

}  // namespace frond::partition
