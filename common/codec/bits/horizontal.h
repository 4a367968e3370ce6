#pragma once
// Numbers of one width, one after the other in a little-endian bit string: number i begins at bit i * width. BP32
// and GPU-BP pack their blocks so (Mallia 2019 §2, §3.1), because every thread of a GPU can read its own number.
// Thirty-two numbers take `width` words of 32 bits, so every 32nd number begins a word. One number alone: bits_at().
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// The bits that the greatest number needs, 0 .. 32.
unsigned width_of(std::span<const std::uint32_t> numbers);

// Appends the numbers' low `width` bits, and zero bits to a multiple of 4 bytes.
void pack_horizontal(std::span<const std::uint32_t> numbers, unsigned width, ByteBuffer& out);

// Unpacks the first `count` numbers from bytes at any alignment; all of out[0 .. 128) may be written.
// REQUIRES: count <= 128; kReadSlack bytes after the last number are readable.
void unpack_horizontal(const std::byte* in, unsigned width, std::uint32_t* out, std::uint32_t count = kBlockLength);

// The same for 32 numbers from 4 * width bytes, without vectors: BP32 is decoded and measured with it.
void unpack_32(const std::byte* in, unsigned width, std::uint32_t* out);

}  // namespace frond::codec
