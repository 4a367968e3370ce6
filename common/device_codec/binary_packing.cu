// Decodes simd-bp128, bp32, gpu-bp128 and gpu-bp256.
#include "common/device_codec/binary_packing.cuh"
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

std::span<const Decoder> binary_packing_decoders() {
  static const Decoder kDecoders[] = {
      {"simd-bp128", "decode_simd_bp128", launch_decoder<SimdBp128>},
      {"gpu-bp128", "decode_gpu_bp128", launch_decoder<GpuBp<128>>},
      {"gpu-bp256", "decode_gpu_bp256", launch_decoder<GpuBp<256>>},
      {"bp32", "decode_bp32", launch_decoder<Bp32>},
  };
  return kDecoders;
}

}  // namespace frond::device_codec
