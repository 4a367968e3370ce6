#pragma once
// ByteWriter::put_varint() for memory that the caller has reserved.
#include <cstddef>
#include <cstdint>

namespace frond::indexer::runs {

// Takes up to 10 bytes. Returns the end.
inline std::byte* store_varint(std::byte* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

}  // namespace frond::indexer::runs
