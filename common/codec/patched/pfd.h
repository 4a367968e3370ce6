#pragma once
// Codec "pfd": patched blocks whose exceptions are a linked list through their own slots. (PForDelta of Zukowski et al.
// 2006, as Ao et al. 2011 §4.1 describe it.) Format: docs/formats/patched.md.
//
// The slot of an exception holds the distance to the next one, less one, in b bits; if the next is too far away for
// that, numbers in between become exceptions. The exceptions' whole values lie behind the slots, all of one width.
// Where we differ: every block of 128 has its own b, the one that costs least, and values have the width of the
// greatest.
//
//   header  bits 0 .. 5: b, 6 .. 11: width of the values, 12 .. 18: place of the first exception, 19 .. 25: how many
#include <cstdint>

#include "common/codec/patched/patched_blocks.h"

namespace frond::codec {

struct PfdHeader {
  std::uint32_t width, value_width, first, count;
};
FROND_HOST_DEVICE constexpr PfdHeader pfd_header(std::uint32_t bits) {
  return {bits & 63, bits >> 6 & 63, bits >> 12 & 127, bits >> 19 & 127};
}

const ListCodec& pfd();

}  // namespace frond::codec
