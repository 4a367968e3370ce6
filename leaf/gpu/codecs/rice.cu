// The search kernel for rice.
#include "common/device_codec/rice.cuh"
#include "leaf/gpu/codecs/search_kernels.h"
#include "leaf/gpu/codecs/stream_lists.cuh"
#include "leaf/gpu/search/search_kernel.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;

#define FROND_KERNEL(function, id, docids, frequencies)                                     \
  Result<void> search_##function(const BatchOnDevice& batch, device::StreamHandle stream) { \
    return search::launch_search<StreamLists<docids, frequencies>>(batch, stream);          \
  }
FROND_GPU_RICE(FROND_KERNEL)

}  // namespace frond::leaf::gpu::codecs
