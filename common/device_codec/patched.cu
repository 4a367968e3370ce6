// Decodes pfd, newpfd and parapfor.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/patched.cuh"

namespace frond::device_codec {

Result<void> decode_pfd(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Patched<Pfd>>("decode_pfd", batch, stream);
}
Result<void> decode_newpfd(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Patched<NewPfd>>("decode_newpfd", batch, stream);
}
Result<void> decode_parapfor(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Patched<ParaPFor>>("decode_parapfor", batch, stream);
}

}  // namespace frond::device_codec
