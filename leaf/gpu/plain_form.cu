#include "leaf/gpu/plain_form.cuh"

#include <algorithm>
#include <bit>

#include "leaf/gpu/codecs/search_kernels.h"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

// Mapping: one thread a docID: it writes the begins of the buckets behind that of the docID before, up to its own.
// Result: in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) write_begins(intersect::ListView form) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= form.count) return;
  const DocId* docids = intersect::docids_of(form);
  auto* begins = reinterpret_cast<std::uint32_t*>(const_cast<std::byte*>(form.index));
  const std::uint32_t bucket = docids[i] >> form.shift;
  for (std::uint32_t b = i == 0 ? 0 : (docids[i - 1] >> form.shift) + 1; b <= bucket; ++b) begins[b] = i;
  if (i + 1 < form.count) return;
  for (std::uint32_t b = bucket + 1; b <= form.parts; ++b) begins[b] = form.count;
}

}  // namespace

PlainForm::PlainForm(const DeviceList& list, std::uint32_t documents) {
  view_.count = list.count;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(documents));
  std::uint32_t leading = 0;
  while (leading < bits && list.count > std::uint64_t{kBucketDocids} << leading) ++leading;
  view_.shift = std::min(bits - leading, 31u);
  view_.parts = ((documents - 1) >> view_.shift) + 1;
}

intersect::ListView PlainForm::at(std::byte* at) const {
  intersect::ListView view = view_;
  view.payload = at;
  view.index = at + std::size_t{view.count} * sizeof(DocId);
  return view;
}

Result<void> make_plain_form(const DeviceList& list, const intersect::ListView& form, device::StreamHandle stream) {
  auto* to = reinterpret_cast<DocId*>(const_cast<std::byte*>(form.payload));
  if (list.codecs == kPackedCodecs || list.codecs == kNoCodecs)
    FROND_TRY(launch_write_docids<search::PackedLists, kThreads>(list, to, stream));
  else
    FROND_TRY(codecs::write_docids_mixed(list, to, stream));
  return device::launch("write_begins", write_begins, (form.count + kThreads - 1) / kThreads, kThreads, stream, form);
}

}  // namespace frond::leaf::gpu
