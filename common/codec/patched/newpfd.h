#pragma once
// Codec "newpfd": patched blocks that keep the low bits of an exception in its slot, the places of all exceptions in
// one array, and their high bits in another. (NewPFD of Yan, Ding and Suel 2009, as Ao et al. 2011 §4.1 describe it; b
// chosen for every block is their OptPFD.) Format: docs/formats/patched.md.
//
// Where we differ: both arrays are Rice codes (rice.h) in place of Simple16, so that a GPU's warp decodes them without
// reading one code after the other.
//
//   header      bits 0 .. 5: b, 6 .. 12: number of exceptions, 13 .. 15: code of the Rice parameter of the bits above
//   exceptions  Rice code of the distances between places, less one (the first: from -1)
//               | Rice code of the bits above, less one
#include <bit>
#include <cstdint>

#include "common/codec/patched/patched_blocks.h"

namespace frond::codec {

struct NewPfdHeader {
  std::uint32_t width, count, parameter_code;
};
FROND_HOST_DEVICE constexpr NewPfdHeader newpfd_header(std::uint32_t bits) {
  return {bits & 63, bits >> 6 & 127, bits >> 13 & 7};
}
// The Rice parameter of the places of `count` exceptions, for places spread evenly over the block.
FROND_HOST_DEVICE constexpr std::uint32_t newpfd_place_parameter(std::uint32_t count) {
  const std::uint32_t mean = (kBlockLength - count) / (count + 1);
  std::uint32_t parameter = 0;
  while (mean >> (parameter + 1) != 0) ++parameter;
  return parameter;
}
// The Rice parameter that a code stands for: exact for exceptions that are a little too large, coarse for very large
// ones.
FROND_HOST_DEVICE constexpr std::uint32_t newpfd_high_parameter(std::uint32_t code) {
  return code < 5 ? code : code == 5 ? 7 : code == 6 ? 12 : 28;
}

const ListCodec& newpfd();

}  // namespace frond::codec
