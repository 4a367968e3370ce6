#pragma once
// The search range in a stretch of a list that is compressed along lines (Ao et al. 2011 §4.3). On the device or the
// host.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/codec/lines/line_elements.h"

namespace frond::leaf::gpu {

// Positions [low, high) of a list.
struct Bracket {
  std::uint32_t low = 0, high = 0;
};

// The positions in a stretch where a document can be. `last`: the stretch's last docID or a larger one. Like
// LineStretch::where, but in single precision instead of 64-bit divisions, and so a few positions wider: the error is
// at size a quarter of a position in stretches of up to 2^20 docIDs.
FROND_HOST_DEVICE inline Bracket where_in(const codec::LineStretch& stretch, DocId docid, DocId last) {
  const Bracket all{0, stretch.size};
  if (stretch.width > 31 || last >= (std::uint64_t{1} << 32) - stretch.spread || stretch.line.slope == 0 ||
      stretch.size > 1u << 20)
    return all;
  const auto base =
      static_cast<std::uint32_t>(stretch.offset + static_cast<std::uint32_t>(stretch.line(stretch.position)));
  const std::int64_t value = std::int64_t{docid} - base + (base > last ? std::int64_t{1} << 32 : 0);
  if (value < 0) return {};
  const float positions_a_docid =
      static_cast<float>(std::uint64_t{1} << stretch.line.fraction) / static_cast<float>(stretch.line.slope);
  const auto size = static_cast<float>(stretch.size);
  const float high = static_cast<float>(value + 2) * positions_a_docid + 2;
  const float low = static_cast<float>(value - 1 - static_cast<std::int64_t>(stretch.spread)) * positions_a_docid - 2;
  return {low <= 0      ? 0
          : low >= size ? stretch.size
                        : static_cast<std::uint32_t>(low),
          high >= size ? stretch.size : static_cast<std::uint32_t>(high)};
}

// Whether the stretch has the document at a position of the bracket.
FROND_HOST_DEVICE inline bool holds_between(const codec::LineStretch& stretch, codec::StreamWords stream,
                                            Bracket bracket, DocId docid) {
  std::uint32_t low = bracket.low, high = bracket.high;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const DocId found = stretch.docid(stream, middle);
    if (found == docid) return true;
    if (found < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

}  // namespace frond::leaf::gpu
