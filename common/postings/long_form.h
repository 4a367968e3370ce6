#pragma once
// The header of the blob of 128 postings or more, and where its sections lie. Format: docs/formats/list-blob.md.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
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
  bool sound() const { return min + (std::uint32_t{0xff} << shift) <= kMaxDeficit; }
  scoring::PackedDeficit at(std::uint8_t steps) const {
    return static_cast<scoring::PackedDeficit>(min + (std::uint32_t{steps} << shift));
  }
};
// The finest sound scale from `min`, which is finite, that reaches `max`; if none does, the one that reaches farthest.
DeficitScale deficit_scale(scoring::PackedDeficit min, scoring::PackedDeficit max);
// The greatest number of steps that does not exceed a deficit, which is at least scale.min.
std::uint8_t steps_down(DeficitScale scale, scoring::PackedDeficit deficit);
// The smallest number of steps that is not below a deficit; kNoSteps if the scale does not reach it.
inline constexpr std::uint8_t kNoSteps = 0xff;
std::uint8_t steps_up(DeficitScale scale, scoring::PackedDeficit deficit);

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
void write_header(const LongHeader& header, std::byte* blob);

// Offsets in the blob. The streams follow the header, both aligned to 16 bytes; then come the blocks' last docIDs, so
// aligned too, and a byte a block of deficits. No section needs padding.
struct LongSections {
  std::uint64_t docids, frequencies, last_docids, deficits, end;
};
LongSections sections_of(const LongHeader& header);

}  // namespace frond::postings
