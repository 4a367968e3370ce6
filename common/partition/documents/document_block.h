#pragma once
// Blocks of stored fields: adjacent documents, compressed together. Layout: docs/formats/partition.md.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace frond::partition {

inline constexpr int kCompressionLevel = 3;
inline constexpr std::size_t kDictionaryBytes = 64 << 10;
// A dictionary of a large collection. With one of this size zstd's fastest strategy finds nearly as much as level 3
// does with the smaller one, in less time (docs/measurements/indexing.md).
inline constexpr std::size_t kLargeDictionaryBytes = 256 << 10;
// Before its last document a block has fewer than document_block_bytes(); the rest of the 64 KiB is room for lengths.
inline constexpr std::size_t kMaxBlockBytes = kMaxDocumentBytes + (64 << 10);
// The part of a block that is read to show its documents: the small ones whole; of the last, which may be large, its
// id, URL and title unless they are very long, and more of its body than snippets are looked for in. zstd decompresses
// as many bytes at once.
inline constexpr std::size_t kMaxFrontBytes = 128 << 10;

void append_document(const StoredDocument& document, ByteBuffer& block);

// Trains a zstd dictionary of at most `bytes` from sample documents; empty if they are too few, or fewer than
// kMinSampleBytes. The same samples give the same dictionary. Takes 25 to 60 ms for each MiB, and up to 16 MiB of
// memory beside the samples.
ByteBuffer train_dictionary(ByteView samples, std::span<const std::size_t> sizes, std::size_t bytes = kDictionaryBytes);
inline constexpr std::size_t kMinSampleBytes = 256 << 10;
// A partition with fewer bytes of fields has no dictionary: it would save little more than it takes, and training one
// takes 6 % of the time of a small build (docs/measurements/indexing.md).
inline constexpr std::size_t kMinTrainedBytes = 4 << 20;

// A trained dictionary, prepared for compression. Its size decides how blocks are compressed. Immutable, for any number
// of compressors in any threads.
class CompressionDictionary {
 public:
  explicit CompressionDictionary(ByteView dictionary);  // copied; empty: compressors use none

 private:
  friend class BlockCompressor;
  std::shared_ptr<const ZSTD_CDict_s> dictionary_;  // null: none
};

// Compresses blocks. One thread.
class BlockCompressor {
 public:
  // dictionary: empty: none; copied.
  // REQUIRES: it is empty, or how == kSmall.
  explicit BlockCompressor(ByteView dictionary, StoredCompression how = StoredCompression::kSmall);
  explicit BlockCompressor(const CompressionDictionary& dictionary);  // borrowed
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;
  // raw: `documents` documents, from append_document(). Stored uncompressed if zstd would not make it smaller.
  ByteBuffer compress(ByteView raw, std::uint32_t documents);
  // The same to the front of `to`. Returns the bytes of the block.
  // REQUIRES: to.size() >= max_bytes(raw.size()).
  std::size_t compress(ByteView raw, std::uint32_t documents, std::span<std::byte> to);
  static std::size_t max_bytes(std::size_t raw_bytes);

 private:
  struct State;
  void use(const CompressionDictionary& dictionary);
  std::unique_ptr<State> state_;
};

// Memory that is not set to zero, since it is filled at once.
class UnsetBytes {
 public:
  // Has at least `bytes` then. If it had fewer, what was there is lost.
  void make_room(std::size_t bytes) {
    if (bytes <= size_) return;
    bytes_.reset();
    size_ = 0;
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = bytes;
  }
  std::byte* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

// A block, uncompressed and parsed. The views borrow `raw`, which may be longer than the block.
struct DocumentBlock {
  UnsetBytes raw;
  std::vector<StoredDocument> documents;
};

// Decompresses blocks; any bytes are survived. Any thread.
class BlockDecompressor {
 public:
  explicit BlockDecompressor(ByteView dictionary);
  // Fills `block`, reusing its memory. Errors: kCorrupt, and then `block` has no documents.
  Result<void> decompress(ByteView value, DocumentBlock& block) const;
  // The same for the first kMaxFrontBytes: in a longer block the field that reaches past them is cut at any byte, and
  // later fields are empty. Takes zstd's window more, at most 4 MiB, of which little is used.
  Result<void> decompress_front(ByteView value, DocumentBlock& block) const;

 private:
  Result<void> decompress_up_to(ByteView value, std::size_t max_bytes, DocumentBlock& block) const;
  std::shared_ptr<const ZSTD_DDict_s> dictionary_;  // null: none
};

}  // namespace frond::partition
