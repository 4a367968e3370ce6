// Search kernels for bp32, gpu-bp128 and gpu-bp256.
#include "common/device_codec/binary_packing.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_BINARY_PACKING(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
