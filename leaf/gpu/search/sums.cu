// The kernel of summed queries for lists in simd-bp128; codecs/mixed.cu has that for others.
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/search/kernels.h"
#include "leaf/gpu/search/packed_lists.cuh"
#include "leaf/gpu/search/sum_kernel.cuh"

namespace frond::leaf::gpu::search {

Result<void> sum_scores(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::sum_scores_mixed(batch, stream);
  return launch_sums<PackedLists, 512, kSummedDocuments>(batch, stream);
}

}  // namespace frond::leaf::gpu::search
