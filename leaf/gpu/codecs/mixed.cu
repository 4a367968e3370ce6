// The kernels for lists of any codecs, and admission of all lists but those in simd-bp128.
#include "leaf/gpu/codecs/mixed_lists.cuh"
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/counts/count_kernel.cuh"
#include "leaf/gpu/list_kernels.cuh"
#include "leaf/gpu/search/search_kernel.cuh"
#include "leaf/gpu/search/start_kernel.cuh"
#include "leaf/gpu/search/sum_kernel.cuh"

namespace frond::leaf::gpu::codecs {

constexpr std::uint32_t kThreads = 128;  // a warp of more would need more shared memory than there is

PlaceBytes place_bytes(std::uint8_t codec) {
#define FROND_CASE(function, id, docids, frequencies) \
  case id:                                            \
    return {kPlaceBytes<docids>, kPlaceBytes<frequencies>};
  FROND_CALL(codec, FROND_CASE, {})
#undef FROND_CASE
}

Result<void> start_mixed(const BatchOnDevice& batch, device::StreamHandle stream) {
  return search::launch_start<MixedLists, kThreads>(batch, stream);
}
Result<void> count_hidden_mixed(const BatchOnDevice& batch, device::StreamHandle stream) {
  return search::launch_count<MixedLists, kThreads>(batch, stream);
}
Result<void> search_mixed(const BatchOnDevice& batch, device::StreamHandle stream) {
  if (batch.priors || batch.clauses) return search::launch_search_with_more<MixedLists>(batch, stream);
  return search::launch_search<MixedLists>(batch, stream);
}
Result<void> sum_scores_mixed(const BatchOnDevice& batch, device::StreamHandle stream) {
  return search::launch_sums<MixedLists, kThreads, kSummedDocumentsMixed>(batch, stream);
}
Result<void> admit_mixed(const ListImage& image, std::byte* at, std::uint32_t* errors, device::StreamHandle stream) {
  return launch_admission<MixedLists, kThreads>(image, at, errors, stream);
}

}  // namespace frond::leaf::gpu::codecs

namespace frond::leaf::gpu::counts {

Result<void> count_documents_mixed(const CountBatch& batch, device::StreamHandle stream) {
  return launch_count_documents<codecs::MixedLists, codecs::kThreads, codecs::kThreads>(batch, stream);
}

}  // namespace frond::leaf::gpu::counts
