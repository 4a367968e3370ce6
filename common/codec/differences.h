#pragma once
// A full block of differences (distances as they are, from 1) to the numbers: what is left to do after patching.
#include <cstdint>
#include <span>

#include "common/codec/list_codec.h"

namespace frond::codec {

// In place: differences to docIDs behind `before` (as ListCodec::decode's), or to frequencies, which are the
// differences themselves. width: no difference is above 2^width, so that blocks of narrow ones need no long look for
// sums that wrap round; 32 where that is not known. False: docIDs that do not ascend, or a frequency of 0.
[[nodiscard]] bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind,
                                            DocId before, unsigned width);

}  // namespace frond::codec
