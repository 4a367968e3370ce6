#pragma once
// Writing full blocks as simd-bp128 lays them out (simd_bp128.h), for every codec that has its slots so.
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Appends 16 * width bytes: the low `width` <= 32 bits of each number, number i in lane i % 4.
void simd_bp_pack(std::span<const std::uint32_t, kBlockLength> numbers, unsigned width, ByteBuffer& out);

}  // namespace frond::codec
