// The search kernel for simd-bp128; codecs/ has those for other codecs.
#include "leaf/gpu/codecs/codec_table.h"
#include "leaf/gpu/search/kernels.h"
#include "leaf/gpu/search/search_kernel.cuh"

namespace frond::leaf::gpu::search {

Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::search_lists(batch, stream);
  if (batch.priors) return launch_search_with_priors<PackedLists>(batch, stream);
  return launch_search<PackedLists>(batch, stream);
}

}  // namespace frond::leaf::gpu::search
