// Decodes vbyte, varintgb, streamvbyte, gpu-vbyte128 and gpu-vbyte1024.
#include "common/device_codec/byte_codecs.cuh"
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

Result<void> decode_vbyte(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<VByte>("decode_vbyte", batch, stream);
}
Result<void> decode_varintgb(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<VarintGB>("decode_varintgb", batch, stream);
}
Result<void> decode_streamvbyte(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<StreamVByte>("decode_streamvbyte", batch, stream);
}
Result<void> decode_gpu_vbyte128(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuVByte<128>>("decode_gpu_vbyte128", batch, stream);
}
Result<void> decode_gpu_vbyte1024(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<GpuVByte<1024>>("decode_gpu_vbyte1024", batch, stream);
}

}  // namespace frond::device_codec
