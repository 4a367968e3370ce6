#pragma once
// One full block of simd-bp128 to numbers: a function for every width, fully unrolled.
#include <cstddef>
#include <cstdint>

namespace frond::codec {

// Reads the 16 * width bytes of a block (any alignment, kReadSlack readable bytes after them) and writes 128 numbers.
// docIDs: sums of the distances, plus one each, from `before`; wraps. Frequencies: each stored number plus one.
using UnpackBlock = void (*)(const std::byte* block, std::uint32_t before, std::uint32_t* out);

struct UnpackTable {
  UnpackBlock docids[33];
  UnpackBlock frequencies[33];  // `before` is unused
};

const UnpackTable& baseline_unpack();
const UnpackTable* avx512_unpack();  // null: not built in, or not for this processor
// The fastest that this processor runs.
const UnpackTable& unpack_table();

}  // namespace frond::codec
