// Search kernels for pfd, newpfd and parapfor.
#include "common/device_codec/patched.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_PATCHED(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
