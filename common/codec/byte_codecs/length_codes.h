#pragma once
// Numbers of 1 .. 4 bytes with 2-bit length codes, the length less one. The code of number i begins at bit 2 i % 8 of
// code byte i / 4; its bytes are little-endian and follow those of number i - 1. (Dean's group varint; Lemire, Kurz and
// Rupp, "Stream VByte", 2018, store codes and bytes separately, which suits shuffles and expanding loads.) Shared by
// varintgb, streamvbyte and gpu-vbyte*.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Length of number `index`, 1 .. 4. codes: the list's code bytes.
FROND_HOST_DEVICE inline std::uint32_t length_at(const std::uint8_t* codes, std::uint32_t index) {
  return (codes[index / 4] >> (index % 4 * 2) & 3u) + 1;
}

// Appends the numbers' code bytes, ceil(size / 4) of them, to `codes` and their bytes to `data`.
void append_length_coded(std::span<const std::uint32_t> numbers, ByteBuffer& codes, ByteBuffer& data);

// Bytes of all numbers of `codes`, four a code byte.
// REQUIRES: at most 2^16 code bytes.
std::uint32_t sum_of_lengths(ByteView codes);

// Decoders read at most so many bytes of a block, and kReadSlack more.
inline constexpr std::size_t kMaxLengthCodedBytes = kBlockLength * 4;
inline constexpr std::size_t kMaxInterleavedBytes = kBlockLength * 4 + kBlockLength / 4;

// Decodes distances (distances.h) from 32 code bytes and the data bytes that they describe, to the first `size` numbers
// of a block; all of `out` is written. Returns false as from_distances() does.
// REQUIRES: 1 <= size <= kBlockLength.
[[nodiscard]] bool decode_length_coded(const std::byte* codes, const std::byte* data, Numbers kind, DocId before,
                                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t size);
// The same with each code byte in front of its four numbers' bytes.
void decode_interleaved(const std::byte* data, std::uint32_t* out);

// For each code byte, that is four 2-bit lengths: the bytes of its four numbers, and the shuffle that puts them in
// place.
struct LengthCodeTables {
  std::array<std::uint8_t, 256> bytes{};                                // of the four numbers, 4 .. 16
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> shuffle{};  // byte of the input; 0x80: a zero byte
};

constexpr LengthCodeTables make_length_code_tables() {
  LengthCodeTables tables;
  for (unsigned code = 0; code < 256; ++code) {
    std::uint8_t from = 0;
    for (unsigned number = 0; number < 4; ++number) {
      const unsigned length = (code >> (2 * number) & 3) + 1;
      for (unsigned byte = 0; byte < 4; ++byte)
        tables.shuffle[code][4 * number + byte] = byte < length ? from++ : std::uint8_t{0x80};
    }
    tables.bytes[code] = from;
  }
  return tables;
}
inline constexpr LengthCodeTables kLengthCodeTables = make_length_code_tables();

}  // namespace frond::codec
