#pragma once
// Finds a long value in its block without reading the whole block. Internal to this folder.
//
// RocksDB's data blocks (docs/formats/partition.md) hold entries in key order: the varints shared, rest and value
// bytes; the rest of the key; the value. A key begins with `shared` bytes of the previous key, and 8 bytes of RocksDB's
// own follow the user's key. Our writer ends a block after the entry that fills it, so a long value is the last of its
// block, and all entries before it are short.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bytes.h"

namespace frond::partition {

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

}  // namespace frond::partition
