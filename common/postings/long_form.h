#pragma once
// The header of the blob of 128 postings or more, and where its sections lie. Format: docs/formats/list-blob.md.
#include <cstdint>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

inline constexpr std::uint8_t kLongMagic = 0xf1;  // long form, version 1; 0x01 .. 0x7f begin a short blob
inline constexpr std::size_t kLongHeaderBytes = 16;

struct LongHeader {
  std::uint8_t codec = 0;
  scoring::PackedDeficit deficit = 0;
  std::uint32_t count = 0;
  std::uint32_t docid_units = 0, frequency_units = 0;  // sizes of the streams, in 16 bytes
};

inline LongHeader read_header(ByteView blob) {
  return {.codec = load_le<std::uint8_t>(blob.data() + 1),
          .deficit = load_le<scoring::PackedDeficit>(blob.data() + 2),
          .count = load_le<std::uint32_t>(blob.data() + 4),
          .docid_units = load_le<std::uint32_t>(blob.data() + 8),
          .frequency_units = load_le<std::uint32_t>(blob.data() + 12)};
}
inline void write_header(const LongHeader& header, std::byte* blob) {
  store_le(blob, kLongMagic);
  store_le(blob + 1, header.codec);
  store_le(blob + 2, header.deficit);
  store_le(blob + 4, header.count);
  store_le(blob + 8, header.docid_units);
  store_le(blob + 12, header.frequency_units);
}

// Offsets in the blob. Last docIDs follow the header, deficits them; both streams begin on 16 bytes.
struct LongSections {
  std::uint64_t deficits, docids, frequencies, end;
};
inline LongSections sections_of(const LongHeader& header) {
  const std::uint64_t blocks = (std::uint64_t{header.count} + codec::kBlockLength - 1) / codec::kBlockLength;
  LongSections at;
  at.deficits = kLongHeaderBytes + blocks * 4;
  at.docids = (at.deficits + blocks * 2 + 15) / 16 * 16;
  at.frequencies = at.docids + std::uint64_t{header.docid_units} * 16;
  at.end = at.frequencies + std::uint64_t{header.frequency_units} * 16;
  return at;
}

}  // namespace frond::postings
