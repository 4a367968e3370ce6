// What list_kernels.h declares: for lists in simd-bp128 here, for others in codecs/mixed.cu.
#include "leaf/gpu/list_kernels.h"

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

}  // namespace

Result<void> admit(const ListImage& image, std::byte* at, std::uint32_t* errors, device::StreamHandle stream) {
  if (!is_packed(image.codecs())) return codecs::admit_mixed(image, at, errors, stream);
  return launch_admission<PackedAdmission, kThreads>(image, at, errors, stream);
}

}  // namespace frond::leaf::gpu
