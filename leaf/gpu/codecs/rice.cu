// The search kernel for rice.
#include "common/device_codec/rice.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_RICE(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
