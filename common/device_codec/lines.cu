// Decodes the docIDs of lrc, lrcseg, seglrc and hs-lrc.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/lines.cuh"

namespace frond::device_codec {

Result<void> decode_lrc(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Lrc>("decode_lrc", batch, stream);
}
Result<void> decode_lrcseg(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<SegmentLrc<true>>("decode_lrcseg", batch, stream);
}
Result<void> decode_seglrc(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<SegmentLrc<false>>("decode_seglrc", batch, stream);
}
Result<void> decode_hs_lrc(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<HsLrc>("decode_hs_lrc", batch, stream);
}

}  // namespace frond::device_codec
