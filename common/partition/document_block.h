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

namespace frond::partition {

inline constexpr int kCompressionLevel = 3;
inline constexpr std::size_t kDictionaryBytes = 64 << 10;
// Before its last document a block has fewer than kDocumentBlockBytes; the rest of the 64 KiB is room for lengths.
inline constexpr std::size_t kMaxBlockBytes = kMaxDocumentBytes + (64 << 10);
// The part of a block that is read to show its documents: the small ones whole; of the last, which may be large, its
// id, URL and title unless they are very long, and some of its body.
inline constexpr std::size_t kMaxFrontBytes = 1 << 20;

void append_document(const StoredDocument& document, ByteBuffer& block);

// Trains a zstd dictionary from sample documents; empty if they are too few.
ByteBuffer train_dictionary(ByteView samples, std::span<const std::size_t> sizes);

// Compresses blocks. One thread.
class BlockCompressor {
 public:
  explicit BlockCompressor(ByteView dictionary);  // empty: none; copied
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;
  // raw: `documents` documents, from append_document(). Stored uncompressed if zstd would not make it smaller.
  ByteBuffer compress(ByteView raw, std::uint32_t documents);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A block, uncompressed and parsed. The views borrow `raw`, which may be longer than the block.
struct DocumentBlock {
  ByteBuffer raw;
  std::vector<StoredDocument> documents;
};

// Decompresses blocks; any bytes are survived. Any thread.
class BlockDecompressor {
 public:
  explicit BlockDecompressor(ByteView dictionary);
  ~BlockDecompressor();
  BlockDecompressor(const BlockDecompressor&) = delete;
  BlockDecompressor& operator=(const BlockDecompressor&) = delete;
  // Fills `block`, reusing its memory. Errors: kCorrupt, and then `block` has no documents.
  Result<void> decompress(ByteView value, DocumentBlock& block) const;
  // The same for the first kMaxFrontBytes: in a longer block the field that reaches past them is cut at any byte, and
  // later fields are empty. Takes about 2 MiB of memory more, for blocks of any size.
  Result<void> decompress_front(ByteView value, DocumentBlock& block) const;

 private:
  struct State;
  Result<void> decompress_up_to(ByteView value, std::size_t max_bytes, DocumentBlock& block) const;
  std::unique_ptr<State> state_;
};

}  // namespace frond::partition
