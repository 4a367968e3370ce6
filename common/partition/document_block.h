#pragma once
// Blocks of stored fields: some documents in a row, compressed together. Layout: docs/formats/partition.md.
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
// A block is under kDocumentBlockBytes before its last document; the rest of the 64 KiB is room for lengths.
inline constexpr std::size_t kMaxBlockBytes = kMaxDocumentBytes + (64 << 10);
// What is looked at of a block to show its documents: the small ones whole; of the last, which may be large, its id,
// URL and title where they are of a reasonable length, and some of its body.
inline constexpr std::size_t kMaxFrontBytes = 1 << 20;

void append_document(const StoredDocument& document, ByteBuffer& block);

// A zstd dictionary from sample documents; empty where there is too little to learn from.
ByteBuffer train_dictionary(ByteView samples, std::span<const std::size_t> sizes);

// Raw blocks to values. One thread.
class BlockCompressor {
 public:
  explicit BlockCompressor(ByteView dictionary);  // empty: none; copied
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;
  // `raw` is `documents` appended documents. Stored as it is where zstd would not make it smaller.
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

// Values to blocks; any bytes are survived. Any thread.
class BlockDecompressor {
 public:
  explicit BlockDecompressor(ByteView dictionary);
  ~BlockDecompressor();
  BlockDecompressor(const BlockDecompressor&) = delete;
  BlockDecompressor& operator=(const BlockDecompressor&) = delete;
  // Fills `block`, whose memory is used again. kCorrupt: it holds no documents then.
  Result<void> decompress(ByteView value, DocumentBlock& block) const;
  // The same of no more than kMaxFrontBytes: in a longer block the field that reaches past them is cut, anywhere, and
  // those behind it are empty. Costs no more memory and time than that, and 2 MiB, however large the block is.
  Result<void> decompress_front(ByteView value, DocumentBlock& block) const;

 private:
  struct State;
  Result<void> decompress_most(ByteView value, std::size_t most, DocumentBlock& block) const;
  std::unique_ptr<State> state_;
};

}  // namespace frond::partition
