// Decodes rice.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/rice.cuh"

namespace frond::device_codec {

std::span<const Decoder> rice_decoders() {
  static const Decoder kDecoders[] = {
      {"rice", "decode_rice", launch_decoder<Rice>},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
