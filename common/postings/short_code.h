#pragma once
// What stands before the Rice codes of a short blob, and the whole blob of one posting: the bytes, for whoever writes
// them, CPU or GPU. Format: docs/formats/list-blob.md.
#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/scoring/bm25.h"

namespace frond::postings {

// The compact form: few postings, frequencies of one or nearly so, and a deficit of 1/8 and less than 16.
inline constexpr std::uint8_t kCompact = 0x80;                      // the first byte is this, and steps of the deficit
inline constexpr std::uint8_t kFirstDeficit = 80, kDeficits = 112;  // the deficits' bytes that it has
inline constexpr std::uint32_t kMaxCompact = 16;                    // postings
inline constexpr unsigned kFirstParameter = 6, kParameters = 16;    // Rice parameters of docIDs that it has

inline constexpr unsigned kSmallFrequencyParameter = 7;  // this one and above have a byte of their own

// PackedDeficit is the upper half of a float32: 8 bits of exponent, then 7 of mantissa, of which 4 are kept.
inline constexpr int kDeficitOffset = (127 - 8) << 4;

// A packed deficit in a byte: 16 steps an octave from 2^-8 to 2^8, rounded down; 0 is no deficit.
FROND_HOST_DEVICE inline std::uint8_t deficit_to_byte(scoring::PackedDeficit deficit) {
  const int steps = (deficit >> 3) - kDeficitOffset;
  return static_cast<std::uint8_t>(steps < 0 ? 0 : steps > 255 ? 255 : steps);
}

struct ShortBytes {
  std::uint8_t at[12];
  std::uint32_t size = 0;
  FROND_HOST_DEVICE void put(std::uint32_t byte) { at[size++] = static_cast<std::uint8_t>(byte); }
  FROND_HOST_DEVICE void put_varint(std::uint32_t value) {
    for (; value >= 0x80; value >>= 7) put((value & 0x7f) | 0x80);
    put(value);
  }
  FROND_HOST_DEVICE void put_compact(std::uint32_t count, std::uint8_t deficit, std::uint32_t nibble) {
    const std::uint32_t steps = deficit - std::uint32_t{kFirstDeficit};
    put(kCompact + (steps < kDeficits - 1u ? steps : kDeficits - 1u));
    put((count - 1) << 4 | nibble);
  }
};

// Whether `count` postings may have the compact form: all frequencies one or in Rice codes of parameter 0.
FROND_HOST_DEVICE inline bool fits_compact(std::uint32_t count, std::uint8_t deficit, unsigned frequency_rice) {
  return count <= kMaxCompact && deficit >= kFirstDeficit && frequency_rice == 0;
}

// The blob of one posting. deficit: its byte.
FROND_HOST_DEVICE inline ShortBytes single_blob(DocId docid, Frequency frequency, std::uint8_t deficit) {
  ShortBytes bytes;
  if (frequency == 1 && fits_compact(1, deficit, 0)) {
    bytes.put_compact(1, deficit, docid & 15);
    DocId rest = docid >> 4;
    do bytes.put(rest & 0xff);
    while ((rest >>= 8) != 0);
    return bytes;
  }
  bytes.put(1);
  bytes.put(deficit);
  bytes.put_varint(docid);
  if (frequency > 1) bytes.put_varint(frequency - 1);
  return bytes;
}

// What stands before the Rice codes of 2 .. 127 postings.
FROND_HOST_DEVICE inline ShortBytes short_header(std::uint32_t count, std::uint8_t deficit, unsigned docid_rice,
                                                 unsigned frequency_rice) {
  ShortBytes bytes;
  const bool parameter_fits = docid_rice >= kFirstParameter && docid_rice < kFirstParameter + kParameters;
  if (parameter_fits && fits_compact(count, deficit, frequency_rice)) {
    bytes.put_compact(count, deficit, docid_rice - kFirstParameter);
    return bytes;
  }
  const bool small = frequency_rice < kSmallFrequencyParameter;
  bytes.put(count);
  bytes.put(deficit);
  bytes.put(docid_rice | (small ? frequency_rice : kSmallFrequencyParameter) << 5);
  if (!small) bytes.put(frequency_rice);
  return bytes;
}

}  // namespace frond::postings
