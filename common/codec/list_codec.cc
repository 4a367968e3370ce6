#include "common/codec/list_codec.h"

#include <algorithm>
#include <string>

namespace frond::codec {

Result<PositionRange> ListCodec::locate(ByteView, std::uint32_t count, LastDocIds lasts, DocId target) const {
  std::uint32_t low = 0, high = lasts.size();  // the first block whose last is >= target is in [low, high]
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (lasts[middle] < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == lasts.size()) return PositionRange{count, count};
  const std::uint32_t first = low * kBlockLength;
  return PositionRange{first, first + std::min(kBlockLength, count - first)};
}

Error ListCodec::corrupt_block(std::string_view what, std::uint32_t block) const {
  return Error(Code::kCorrupt, std::string(name()) + ": " + std::string(what) + " in block " + std::to_string(block));
}

}  // namespace frond::codec
