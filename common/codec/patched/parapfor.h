#pragma once
// Codec "parapfor": patched blocks whose exceptions can be patched all at once, since an array has their places and
// another their high bits. (ParaPFor: Ao et al. 2011 §4.1 and appendix G, whose names are used here.) Format:
// docs/formats/patched.md.
//
// Where we differ: segments are our blocks of 128 (Ao: 64), and b is the one that costs least.
//
//   header      bits 0 .. 5: b, 6 .. 8: i_b, 9 .. 14: h_b, 15 .. 21: e_n
//   exceptions  e_n places of i_b bits | e_n numbers of h_b bits, each what is above b bits of the number at its place
#include <cstdint>

#include "common/codec/patched/patched_blocks.h"

namespace frond::codec {

struct ParaPForHeader {
  std::uint32_t b, i_b, h_b, e_n;
};
FROND_HOST_DEVICE constexpr ParaPForHeader parapfor_header(std::uint32_t bits) {
  return {bits & 63, bits >> 6 & 7, bits >> 9 & 63, bits >> 15 & 127};
}

const ListCodec& parapfor();

}  // namespace frond::codec
