#pragma once
// A long value's place in its block, found without reading the block whole. Internal to this folder.
//
// RocksDB's data blocks (docs/formats/partition.md): entries in key order, each varints shared, rest and value bytes,
// then the rest of the key, then the value. A key begins with `shared` bytes of the key before; 8 bytes of RocksDB's
// follow the user's. Our writer ends a block behind the entry that makes it full, so a long value is its block's last,
// and all that stands before it is short.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bytes.h"

namespace frond::partition {

// What has to be read of a block: more than its entries before the last take, and the last one's key.
inline constexpr std::size_t kBlockHeadBytes = 8u << 10;
inline constexpr std::size_t kBlockTrailerBytes = 5;  // compression type, checksum

struct ValuePlace {
  std::size_t offset = 0, bytes = 0;  // in the block
  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

struct BlockAnswer {
  bool told = false;                // by the head; else only the whole block tells
  std::optional<ValuePlace> value;  // nothing: the block does not have the key
};

// `head`: the front of a block of `block_bytes`, trailer included, which is not compressed. Survives any bytes: a place
// lies inside the block.
BlockAnswer find_in_block(ByteView head, std::size_t block_bytes, std::string_view key);

}  // namespace frond::partition
