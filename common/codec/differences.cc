#include "common/codec/differences.h"

#include <algorithm>

#include "common/codec/distances.h"

namespace frond::codec {

bool numbers_from_differences(std::span<std::uint32_t, kBlockLength> differences, Numbers kind, DocId before,
                              unsigned width) {
  if (kind == Numbers::kFrequencies)
    return width < 32 || std::find(differences.begin(), differences.end(), 0u) == differences.end();
  add_differences(differences, before);
  // 128 differences of 2^24 add up to less than 2^32: if any sum wraps around, the last one is not above `before`.
  return width <= 24 ? before == kNoDoc || differences[kBlockLength - 1] > before : ascend(before, differences);
}

}  // namespace frond::codec
