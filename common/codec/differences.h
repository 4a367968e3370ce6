#pragma once
// Turns a full block of differences (distances as they are, at least 1) into numbers, after exceptions were patched in.
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

// In place: sums the differences to docIDs after `before` (as in ListCodec::decode), or leaves them as frequencies.
// width: no difference is above 2^width; 32 if that is unknown. Small widths can't make sums wrap around, which saves
// the full check. Returns false if docIDs do not ascend or a frequency is 0.
[[nodiscard]] bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind,
                                            DocId before, unsigned width);

}  // namespace frond::codec
