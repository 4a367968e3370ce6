// Decodes rice.
#include "common/device_codec/decode_kernel.cuh"
#include "common/device_codec/decode_streams.h"
#include "common/device_codec/rice_codec.cuh"

namespace frond::device_codec {

Result<void> decode_rice(const DecodeBatch& batch, device::StreamHandle stream) {
  return launch_decoder<Rice>("decode_rice", batch, stream);
}

}  // namespace frond::device_codec
