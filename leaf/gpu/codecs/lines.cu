// Search kernels for docIDs in lrc, lrcseg, seglrc and hs-lrc, and frequencies in simd-bp128.
#include "common/device_codec/lines.cuh"
#include "leaf/gpu/codecs/family.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;
FROND_GPU_LINES(FROND_SEARCH_KERNEL)

}  // namespace frond::leaf::gpu::codecs
