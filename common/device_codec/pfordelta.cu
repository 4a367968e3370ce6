// Decodes pfordelta0 to pfordelta4.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/pfordelta.cuh"

namespace frond::device_codec {

std::span<const Decoder> pfordelta_decoders() {
  static const Decoder kDecoders[] = {
      {"pfordelta0", "decode_pfordelta0", launch_decoder<PForDelta<0>>},
      {"pfordelta1", "decode_pfordelta1", launch_decoder<PForDelta<1>>},
      {"pfordelta2", "decode_pfordelta2", launch_decoder<PForDelta<2>>},
      {"pfordelta3", "decode_pfordelta3", launch_decoder<PForDelta<3>>},
      {"pfordelta4", "decode_pfordelta4", launch_decoder<PForDelta<4>>},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
