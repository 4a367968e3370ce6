#pragma once
// The header of the blob of 128 postings or more, and where its sections lie. Format: docs/formats/list-blob.md.
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

inline constexpr std::uint8_t kLongMagic = 0xf2;  // long form, version 2; 0x01 .. 0x7f begin a short blob
inline constexpr std::size_t kLongHeaderBytes = 16;

struct LongHeader {
  std::uint8_t docid_codec = 0, frequency_codec = 0;
  std::uint8_t flags = 0;  // none yet
  std::uint32_t count = 0;
  std::uint32_t docid_units = 0, frequency_units = 0;  // sizes of the streams, in 16 bytes
};

inline LongHeader read_header(ByteView blob) {
  return {.docid_codec = load_le<std::uint8_t>(blob.data() + 1),
          .frequency_codec = load_le<std::uint8_t>(blob.data() + 2),
          .flags = load_le<std::uint8_t>(blob.data() + 3),
          .count = load_le<std::uint32_t>(blob.data() + 4),
          .docid_units = load_le<std::uint32_t>(blob.data() + 8),
          .frequency_units = load_le<std::uint32_t>(blob.data() + 12)};
}
inline void write_header(const LongHeader& header, std::byte* blob) {
  store_le(blob, kLongMagic);
  store_le(blob + 1, header.docid_codec);
  store_le(blob + 2, header.frequency_codec);
  store_le(blob + 3, header.flags);
  store_le(blob + 4, header.count);
  store_le(blob + 8, header.docid_units);
  store_le(blob + 12, header.frequency_units);
}

// The bounds of the whole blob, between its last docIDs and the deficits of its blocks: its least deficit, then for
// each of kBestRanks the deficit of the posting of that rank, or kNoDeficit.
inline constexpr std::array<std::uint32_t, 3> kBestRanks = {10, 100, 1000};
inline constexpr scoring::PackedDeficit kNoDeficit = 0xffff;
inline constexpr std::size_t kListBoundsBytes = 2 * (1 + kBestRanks.size());

// Offsets in the blob. Last docIDs follow the header, then the bounds of the blob and of its blocks; both streams begin
// on 16 bytes.
struct LongSections {
  std::uint64_t list_bounds, deficits, docids, frequencies, end;
};
inline LongSections sections_of(const LongHeader& header) {
  const std::uint64_t blocks = (std::uint64_t{header.count} + codec::kBlockLength - 1) / codec::kBlockLength;
  LongSections at;
  at.list_bounds = kLongHeaderBytes + blocks * 4;
  at.deficits = at.list_bounds + kListBoundsBytes;
  at.docids = (at.deficits + blocks * 2 + 15) / 16 * 16;
  at.frequencies = at.docids + std::uint64_t{header.docid_units} * 16;
  at.end = at.frequencies + std::uint64_t{header.frequency_units} * 16;
  return at;
}

}  // namespace frond::postings
