#pragma once
// Numbers of 1 .. 4 bytes whose lengths are told by 2-bit codes, length less one: number i's code is bits 2 i % 8 and
// up of code byte i / 4, its bytes are little-endian and follow those of number i - 1. (Dean's group varint; Lemire,
// Kurz and Rupp, "Stream VByte", 2018, has the codes apart from the bytes, which is what a shuffle or an expanding load
// wants.) Shared by varintgb, streamvbyte and gpu-vbyte*.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Of number `index`, 1 .. 4. codes: the list's code bytes.
FROND_HOST_DEVICE inline std::uint32_t length_at(const std::uint8_t* codes, std::uint32_t index) {
  return (codes[index / 4] >> (index % 4 * 2) & 3u) + 1;
}

// Appends the numbers' code bytes, ceil(size / 4) of them, to `codes` and their bytes to `data`.
void append_length_coded(std::span<const std::uint32_t> numbers, ByteBuffer& codes, ByteBuffer& data);

// Bytes of the numbers of `codes`, which are four a code byte. At most 2^16 code bytes.
std::uint32_t sum_of_lengths(ByteView codes);

// What decoders read of one block at most, but for kReadSlack behind.
inline constexpr std::size_t kLengthCodedMost = kBlockLength * 4;
inline constexpr std::size_t kInterleavedMost = kBlockLength * 4 + kBlockLength / 4;

// Distances (distances.h) from 32 code bytes and as many data bytes as those say, to the first `size` >= 1 numbers of a
// block; all of it is written. False where no numbers have these distances, as from_distances().
[[nodiscard]] bool decode_length_coded(const std::byte* codes, const std::byte* data, Numbers kind, DocId before,
                                       std::span<std::uint32_t, kBlockLength> out, std::uint32_t size);
// The same with each code byte in front of its four numbers' bytes.
void decode_interleaved(const std::byte* data, std::uint32_t* out);

}  // namespace frond::codec
