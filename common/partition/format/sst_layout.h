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

// Finds a long value in its block without reading the whole block. Internal to this folder.
//
// RocksDB's data blocks (docs/formats/partition.md) hold entries in key order: the varints shared, rest and value
// bytes; the rest of the key; the value. A key begins with `shared` bytes of the previous key, and 8 bytes of RocksDB's
// own follow the user's key. Our writer ends a block after the entry that fills it, so a long value is the last of its
// block, and all entries before it are short.

// The bytes of a block that have to be read: more than the entries before the last and the last key take.
inline constexpr std::size_t kBlockHeadBytes = 8u << 10;
inline constexpr std::size_t kBlockTrailerBytes = 5;  // compression type, checksum
inline constexpr std::size_t kInternalBytes = 8;      // behind the user's key: sequence number and type, little-endian
inline constexpr std::uint8_t kTypeValue = 1;         // the type of what is written, as opposed to deletions and merges

struct ValuePlace {
  std::size_t offset = 0, bytes = 0;  // in the block
  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

struct BlockAnswer {
  bool told = false;                // false: the head does not tell, read the whole block
  std::optional<ValuePlace> value;  // if told; none: the block does not have the key
};

// head: the front of an uncompressed block of `block_bytes`, trailer included. Survives any bytes; a place lies inside
// the block.
BlockAnswer find_in_block(ByteView head, std::size_t block_bytes, std::string_view key);

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
