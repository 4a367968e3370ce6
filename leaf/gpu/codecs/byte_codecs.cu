// Search kernels for vbyte, varintgb, streamvbyte, gpu-vbyte128 and gpu-vbyte1024.
#include "common/device_codec/byte_codecs.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_BYTE_CODECS(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
