// Search kernels for pfordelta0 and pfordelta1.
#include "common/device_codec/pfordelta.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_PFORDELTA(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
