// The kernels for lists in simd-bp128; codecs/ has those for other codecs.
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/search/kernels.h"
#include "leaf/gpu/search/search_kernel.cuh"
#include "leaf/gpu/search/start_kernel.cuh"

namespace frond::leaf::gpu::search {

Result<void> start_queries(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::start_mixed(batch, stream);
  return launch_start<PackedLists, 512>(batch, stream);
}

Result<void> count_hidden(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::count_hidden_mixed(batch, stream);
  return launch_count<PackedLists, 256>(batch, stream);
}

Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.codecs != kPackedCodecs) return codecs::search_lists(batch, stream);
  if (batch.priors || batch.clauses) return launch_search_with_more<PackedLists>(batch, stream);
  return launch_search<PackedLists>(batch, stream);
}

}  // namespace frond::leaf::gpu::search
