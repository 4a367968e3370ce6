// Decodes the docIDs of lrc, lrcseg, seglrc and hs-lrc.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/lines.cuh"

namespace frond::device_codec {

std::span<const Decoder> lines_decoders() {
  static const Decoder kDecoders[] = {
      {"lrc", "decode_lrc", launch_decoder<Lrc>, /*frequencies=*/false},
      {"lrcseg", "decode_lrcseg", launch_decoder<SegmentLrc<true>>, /*frequencies=*/false},
      {"seglrc", "decode_seglrc", launch_decoder<SegmentLrc<false>>, /*frequencies=*/false},
      {"hs-lrc", "decode_hs_lrc", launch_decoder<HsLrc>, /*frequencies=*/false},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
