// Decodes simd-bp128, bp32, gpu-bp128 and gpu-bp256.
#include "common/device_codec/binary_packing.cuh"
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

Result<void> decode_simd_bp128(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<SimdBp128>("decode_simd_bp128", batch, stream);
}
Result<void> decode_gpu_bp128(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuBp<128>>("decode_gpu_bp128", batch, stream);
}
Result<void> decode_gpu_bp256(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuBp<256>>("decode_gpu_bp256", batch, stream);
}
Result<void> decode_bp32(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Bp32>("decode_bp32", batch, stream);
}

}  // namespace frond::device_codec
