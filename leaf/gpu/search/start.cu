#include "leaf/gpu/search/start_kernel.cuh"

#include "leaf/gpu/codecs/search_kernels.h"
#include "leaf/gpu/search/hidden_kernel.cuh"
#include "leaf/gpu/search/kernels.h"

namespace frond::leaf::gpu::search {

Result<void> start_queries(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::start_mixed(batch, stream);
  return launch_start<PackedLists, 512>(batch, stream);
}

Result<void> count_hidden(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::count_hidden_mixed(batch, stream);
  return launch_count<PackedLists, 256>(batch, stream);
}

}  // namespace frond::leaf::gpu::search
