// Decodes vbyte, varintgb, streamvbyte, gpu-vbyte128 and gpu-vbyte1024.
#include "common/device_codec/byte_codecs.cuh"
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

std::span<const Decoder> byte_codecs_decoders() {
  static const Decoder kDecoders[] = {
      {"vbyte", "decode_vbyte", launch_decoder<VByte>},
      {"varintgb", "decode_varintgb", launch_decoder<VarintGB>},
      {"streamvbyte", "decode_streamvbyte", launch_decoder<StreamVByte>},
      {"gpu-vbyte128", "decode_gpu_vbyte128", launch_decoder<GpuVByte<128>>},
      {"gpu-vbyte1024", "decode_gpu_vbyte1024", launch_decoder<GpuVByte<1024>>},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
