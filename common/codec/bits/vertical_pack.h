#pragma once
// Packs full blocks in four lanes, for simd-bp128 and all codecs whose slots are packed like it.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Appends 16 * width bytes: the low `width` <= 32 bits of each number, number i in lane i % 4.
void simd_bp_pack(std::span<const std::uint32_t, kBlockLength> numbers, unsigned width, ByteBuffer& out);

}  // namespace frond::codec
