#pragma once
// The layout of RocksDB's *.sst files, as far as a few blocks take that are read without the rest of the file. Internal
// to this folder. Everything here survives any bytes.
//
// A file is its data blocks, the index block, blocks with properties, and a footer. A block is its entries; restart
// points, u32 each, which say where entries begin; how many they are, u32; and a trailer of kBlockTrailerBytes. An
// entry of the index tells of a data block: a key that is not below the block's last key and is below the next block's
// first one, and where the block is. Each entry of the index has a restart point.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::partition {

inline constexpr std::size_t kFooterBytes = 53;
inline constexpr std::size_t kCountBytes = 4;  // of restart points

// Where a block is, trailer included.
struct BlockHandle {
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t end() const { return offset + bytes; }
  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// The index block of a file of `file_bytes`, by its last kFooterBytes; inside the file. Nothing if the file is not of
// the kind that we write: format version 5 with XXH3 checksums.
std::optional<BlockHandle> index_of_footer(ByteView footer, std::uint64_t file_bytes);

// The number of restart points, by the kCountBytes before a block's trailer.
std::uint32_t restarts_of_count(ByteView count);

struct IndexEntry {
  std::string_view key;  // borrows the bytes
  BlockHandle block;
};
// The entry at the front. Nothing if it does not decode, or the block does not end before `end`.
std::optional<IndexEntry> decode_index_entry(ByteView in, std::uint64_t end);

// Whether a whole block is uncompressed and has its checksum.
bool is_intact(ByteView block);

struct BlockEntry {
  std::string key;
  ByteView value;  // borrows the block
};
// The last entry of a whole data block whose key is not above `key`; nothing: all are. kCorrupt: it does not decode.
Result<std::optional<BlockEntry>> last_up_to(ByteView block, std::string_view key);
// The key that the file begins with, by its front; nothing if that does not decode or is too short.
std::optional<std::string> first_key(ByteView front);

}  // namespace frond::partition
