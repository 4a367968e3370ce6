// Decodes pfordelta0 to pfordelta4.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/pfordelta.cuh"

namespace frond::device_codec {

Result<void> decode_pfordelta0(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<PForDelta<0>>("decode_pfordelta0", batch, stream);
}
Result<void> decode_pfordelta1(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<PForDelta<1>>("decode_pfordelta1", batch, stream);
}
Result<void> decode_pfordelta2(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<PForDelta<2>>("decode_pfordelta2", batch, stream);
}
Result<void> decode_pfordelta3(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<PForDelta<3>>("decode_pfordelta3", batch, stream);
}
Result<void> decode_pfordelta4(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<PForDelta<4>>("decode_pfordelta4", batch, stream);
}

}  // namespace frond::device_codec
