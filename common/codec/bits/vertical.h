#pragma once
// Packs full blocks in four lanes, for simd-bp128 and all codecs whose slots are packed like it.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Appends 16 * width bytes: the low `width` bits of each number, number i in lane i % 4.
// REQUIRES: width <= 32.
void simd_bp_pack(std::span<const std::uint32_t, kBlockLength> numbers, unsigned width, ByteBuffer& out);

// Unpacks full blocks in four lanes (docs/formats/simd-bp128.md): a function for every width, fully unrolled.

// Reads the 16 * width bytes of a block, at any alignment, and writes 128 numbers. docIDs: running sums from `before`
// of the stored numbers, each plus one, modulo 2^32. Frequencies: each stored number plus one.
// REQUIRES: kReadSlack bytes after the block are readable.
using UnpackBlock = void (*)(const std::byte* block, std::uint32_t before, std::uint32_t* out);

struct UnpackTable {
  UnpackBlock docids[33];
  UnpackBlock frequencies[33];  // `before` is unused
};

const UnpackTable& baseline_unpack();
const UnpackTable* avx512_unpack();  // null if not built in or this processor lacks it
// The fastest that this processor runs.
const UnpackTable& unpack_table();

}  // namespace frond::codec
