#include "common/codec/distances.h"

#include <algorithm>

namespace frond::codec {

void to_distances(std::span<const std::uint32_t> numbers, Numbers kind, DocId before, std::uint32_t* distances) {
  if (kind == Numbers::kFrequencies) {
    for (const std::uint32_t number : numbers) *distances++ = number - 1;
    return;
  }
  for (const std::uint32_t number : numbers) {
    *distances++ = number - before - 1;
    before = number;
  }
}

bool from_distances(std::span<std::uint32_t> block, Numbers kind, DocId before) {
  if (kind == Numbers::kFrequencies) {
    for (std::uint32_t& number : block) ++number;
    return std::find(block.begin(), block.end(), 0u) == block.end();
  }
  DocId last = before;
  for (std::uint32_t& number : block) number = last += number + 1;
  return ascend(before, block);
}

bool ascend(DocId before, std::span<const DocId> docids) {
  bool wrong = before != kNoDoc && docids[0] <= before;
  for (std::size_t i = 1; i < docids.size(); ++i) wrong |= docids[i] <= docids[i - 1];
  return !wrong;
}

}  // namespace frond::codec
