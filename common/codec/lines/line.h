#pragma once
// A line through docIDs, and the docIDs' deviations from it: what the codecs of linear regression store. (Ao et al.
// 2011 §4.2.) All arithmetic is on integers, so a line has the same values on every processor.
//
// The slope s is in fixed point with `fraction` bits: at position p the line has the value (s * p) >> fraction, with
// 64-bit products that wrap around. Deviations are packed in as many bits as the greatest needs.
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"

namespace frond::codec {

// Positions first .. end - 1 of a list, counted from 0.
struct PositionRange {
  std::uint32_t first = 0, end = 0;
};

struct Line {
  std::uint64_t slope = 0;
  unsigned fraction = 0;  // 0 .. 32
  FROND_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t position) const {
    return (slope * position) >> fraction;
  }
  // The first position whose value is at least `value`; kNever if there is none below 2^32. The line does not wrap
  // around.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  FROND_HOST_DEVICE constexpr std::uint64_t first_reaching(std::int64_t value) const {
    if (value <= 0) return 0;
    if (slope == 0 || value >> 32 != 0) return kNever;
    const std::uint64_t product = static_cast<std::uint64_t>(value) << fraction;
    return product / slope + (product % slope != 0);
  }
};

// docIDs along a line, the first of them at `position`: docID i is base + line(position + i) - line(position)
// + deviation i, with deviations 0 .. spread.
struct Fit {
  Line line;
  std::uint64_t position = 0;
  std::int64_t base = 0;
  std::uint64_t spread = 0;
};
// The base and spread of a given line.
// REQUIRES: at least one docID; docIDs ascend.
Fit fit_to(Line line, std::uint64_t position, std::span<const DocId> docids);
// The line from position 0 with about the smallest spread, which decides the bits of deviations (Ao minimizes squares).
// Its slope is at most `max_slope`.
Fit narrowest(std::span<const DocId> docids, unsigned fraction, std::uint64_t max_slope);

// Appends deviations: a full block in four lanes, as simd-bp128 packs it; fewer as a bit string, to the next byte.
// REQUIRES: at most kBlockLength deviations; width <= 32.
void pack_deviations(std::span<const std::uint32_t> deviations, unsigned width, ByteBuffer& out);
// The bytes that pack_deviations() appends.
FROND_HOST_DEVICE constexpr std::uint64_t deviation_bytes(std::uint32_t size, std::uint32_t width) {
  return (std::uint64_t{size} * width + 7) / 8;
}

// Appends the deviations of the docIDs of a fit, block by block.
void append_deviations(const Fit& fit, std::span<const DocId> docids, unsigned width, ByteBuffer& out);
// Adds `offset` and the line's values from `position` on to the numbers of a full block, modulo 2^32. Returns whether
// the sums ascend strictly.
bool add_line(Line line, std::uint64_t position, std::uint32_t offset, std::span<std::uint32_t, kBlockLength> block);

// Decodes `size` docIDs from the deviations packed at `in`: docID i is offset + line(position + i) + deviation i,
// modulo 2^32. All of `out` may be written. Returns false if the docIDs do not ascend strictly from `before`.
// REQUIRES: kReadSlack bytes behind the deviations are readable.
[[nodiscard]] bool docids_beside(Line line, std::uint64_t position, std::uint32_t offset, const std::byte* in,
                                 unsigned width, std::uint32_t size, DocId before,
                                 std::span<std::uint32_t, kBlockLength> out);

// The range that contains the first of `size` docIDs that is >= target; positions count from the first docID, which is
// at `position` of the line. offset: as above, but not modulo 2^32. These are the safe bounds of Ao §3.3, for what is
// stored here.
// REQUIRES: the last docID is >= target.
FROND_HOST_DEVICE inline PositionRange positions_beside(Line line, std::uint64_t position, std::int64_t offset,
                                                        std::uint64_t spread, std::uint32_t size, DocId target) {
  const auto first = [&](std::int64_t value) {  // from 0, at most the last
    const std::uint64_t reached = line.first_reaching(value), after = reached < position ? 0 : reached - position;
    return static_cast<std::uint32_t>(after < size ? after : size - std::uint64_t{1});
  };
  const std::int64_t value = std::int64_t{target} - offset;
  const std::uint32_t surely = first(value), perhaps = first(value - static_cast<std::int64_t>(spread));
  return {perhaps < surely ? perhaps : surely, surely + 1};
}

}  // namespace frond::codec
