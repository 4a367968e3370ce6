#pragma once
// The header of the blob of 128 postings or more, and where its sections lie. Format: docs/formats/list-blob.md.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

inline constexpr std::uint8_t kLongMagic = 0xf3;  // long form, version 3; 0x01 .. 0xef begin a short blob
inline constexpr std::size_t kLongHeaderBytes = 16;

// Ranks r for which a blob stores a deficit that r of its postings do not exceed.
inline constexpr std::array<std::uint32_t, 3> kBestRanks = {10, 100, 1000};
inline constexpr scoring::PackedDeficit kNoDeficit = 0xffff;

// Deficits of a blob are close together, so each takes a byte: steps of 2^shift above the minimum.
struct DeficitScale {
  static constexpr std::uint32_t kMaxDeficit = 0x7f7f;  // of the packed deficits that are finite

  scoring::PackedDeficit min = 0;
  std::uint32_t shift = 0;

  // Whether any byte of steps gives a deficit of at most kMaxDeficit.
  FROND_HOST_DEVICE bool sound() const { return min + (std::uint32_t{0xff} << shift) <= kMaxDeficit; }
  scoring::PackedDeficit at(std::uint8_t steps) const {
    return static_cast<scoring::PackedDeficit>(min + (std::uint32_t{steps} << shift));
  }
};
// The greatest number of steps that does not exceed a deficit, which is at least scale.min.
FROND_HOST_DEVICE inline std::uint8_t steps_down(DeficitScale scale, scoring::PackedDeficit deficit) {
  const std::uint32_t steps = (deficit - std::uint32_t{scale.min}) >> scale.shift;
  return static_cast<std::uint8_t>(steps < 0xff ? steps : 0xff);
}
// The smallest number of steps that is not below a deficit; kNoSteps if the scale does not reach it.
inline constexpr std::uint8_t kNoSteps = 0xff;
FROND_HOST_DEVICE inline std::uint8_t steps_up(DeficitScale scale, scoring::PackedDeficit deficit) {
  const std::uint32_t above = deficit - std::uint32_t{scale.min}, round = (1u << scale.shift) - 1;
  const std::uint32_t steps = (above + round) >> scale.shift;
  return static_cast<std::uint8_t>(steps < kNoSteps ? steps : kNoSteps);
}
// The finest sound scale from `min`, which is finite, that reaches `max`, which is not less; if none does, the one that
// reaches farthest.
FROND_HOST_DEVICE inline DeficitScale deficit_scale(scoring::PackedDeficit min, scoring::PackedDeficit max) {
  DeficitScale scale{min, 0};
  while (steps_up(scale, max) == kNoSteps && DeficitScale{min, scale.shift + 1}.sound()) ++scale.shift;
  return scale;
}

struct LongHeader {
  static constexpr std::uint32_t kMaxUnits = (1u << 20) - 1;

  std::uint8_t docid_codec = 0, frequency_codec = 0;
  std::array<std::uint8_t, kBestRanks.size()> best = {kNoSteps, kNoSteps, kNoSteps};  // kNoSteps: none
  DeficitScale deficits;
  std::uint32_t count = 0;
  std::uint32_t docid_units = 0, frequency_units = 0;  // sizes of the streams, in 16 bytes
  bool flag = false;                                   // none yet
};
LongHeader read_header(ByteView blob);
// The header's last 8 bytes, the lowest first.
FROND_HOST_DEVICE inline std::uint64_t sizes_word(std::uint32_t count, std::uint32_t docid_units,
                                                  std::uint32_t frequency_units, std::uint32_t shift) {
  constexpr unsigned kCountBits = 19, kUnitBits = 20;
  return count | std::uint64_t{docid_units} << kCountBits | std::uint64_t{frequency_units} << (kCountBits + kUnitBits) |
         std::uint64_t{shift} << (kCountBits + 2 * kUnitBits);
}
void write_header(const LongHeader& header, std::byte* blob);

// Offsets in the blob. The streams follow the header, both aligned to 16 bytes; then come the blocks' last docIDs, so
// aligned too, and a byte a block of deficits. No section needs padding.
struct LongSections {
  std::uint64_t docids, frequencies, last_docids, deficits, end;
};
LongSections sections_of(const LongHeader& header);

}  // namespace frond::postings
