#pragma once
// Reads the heads of documents (head_chunk.h) where they are mapped: no look-up in RocksDB, no decompression, no body.
// Internal to this folder.
//
// A chunk is looked up when it is first used, and its place is kept: 16 bytes a chunk of 128 KiB, and 4 bytes for its
// first docID. Chunks below kLongBlockBytes, of which a partition has one, its last, are kept as copies.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/database.h"
#include "common/partition/document_reader.h"
#include "common/partition/head_chunk.h"
#include "common/partition/partition.h"

namespace frond::partition {

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
