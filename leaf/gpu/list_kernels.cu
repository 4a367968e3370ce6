// What list_kernels.h declares: for lists in simd-bp128 here, for others in codecs/mixed.cu.
#include "leaf/gpu/list_kernels.h"

#include <algorithm>
#include <bit>

#include "common/device_codec/binary_packing.cuh"
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/codecs/stream_lists.cuh"
#include "leaf/gpu/list_kernels.cuh"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu {
namespace {

bool is_packed(ListCodecs codecs) { return codecs == kPackedCodecs || codecs == kNoCodecs; }

struct PackedAdmission : search::PackedLists {
  __device__ static bool find_place(std::byte* image, const SegmentPlace& segment, std::uint32_t block, DocId before,
                                    BlockEntry& entry) {
    return codecs::keep_place<device_codec::SimdBp128>(image, segment.docids, segment.count, block, before,
                                                       entry.docids) &&
           codecs::keep_place<device_codec::SimdBp128>(image, segment.frequencies, segment.count, block, before,
                                                       entry.frequencies);
  }
  // One warp operation decodes a block and a run alike: the bits of each number are at the same place for both.
  __device__ static bool reads_equal(const DeviceList&, std::uint32_t, const BlockEntry&, std::uint32_t, const Four&,
                                     const Four&, std::uint32_t) {
    return true;
  }
};

constexpr std::uint32_t kThreads = 256;

// Mapping: one thread a docID: it writes the begins of the buckets behind that of the docID before, up to its own.
// Result: in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads) write_begins(PlainView form) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= form.count) return;
  const DocId* docids = form.docids;
  auto* begins = const_cast<std::uint32_t*>(form.begins);
  const std::uint32_t bucket = docids[i] >> form.shift;
  for (std::uint32_t b = i == 0 ? 0 : (docids[i - 1] >> form.shift) + 1; b <= bucket; ++b) begins[b] = i;
  if (i + 1 < form.count) return;
  for (std::uint32_t b = bucket + 1; b <= form.parts; ++b) begins[b] = form.count;
}

}  // namespace

Result<void> admit(const ListImage& image, std::byte* at, device::StreamHandle stream) {
  if (!is_packed(image.codecs())) return codecs::admit_mixed(image, at, stream);
  return launch_admission<PackedAdmission, kThreads>(image, at, stream);
}

PlainForm::PlainForm(const DeviceList& list, std::uint32_t documents) {
  view_.count = list.count;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(documents));
  std::uint32_t leading = 0;
  while (leading < bits && list.count > std::uint64_t{kBucketDocids} << leading) ++leading;
  view_.shift = std::min(bits - leading, 31u);
  view_.parts = ((documents - 1) >> view_.shift) + 1;
}

PlainView PlainForm::at(std::byte* at) const {
  PlainView view = view_;
  view.docids = reinterpret_cast<const DocId*>(at);
  view.begins = view.docids + view.count;
  return view;
}

Result<void> make_plain_form(const DeviceList& list, const PlainView& form, device::StreamHandle stream) {
  auto* to = const_cast<DocId*>(form.docids);
  if (is_packed(list.codecs))
    FROND_TRY(launch_write_docids<search::PackedLists, kThreads>(list, to, stream));
  else
    FROND_TRY(codecs::write_docids_mixed(list, to, stream));
  return device::launch("write_begins", write_begins, (form.count + kThreads - 1) / kThreads, kThreads, stream, form);
}

}  // namespace frond::leaf::gpu
