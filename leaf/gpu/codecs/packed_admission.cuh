#pragma once
// Admission of lists whose codecs are simd-bp128.
#include "common/device_codec/binary_packing.cuh"
#include "leaf/gpu/codecs/stream_lists.cuh"

namespace frond::leaf::gpu::codecs {

struct PackedAdmission : search::PackedLists {
  __device__ static bool find_place(std::byte* image, const SegmentPlace& segment, std::uint32_t block, DocId before,
                                    BlockEntry& entry) {
    return keep_place<device_codec::SimdBp128>(image, segment.docids, segment.count, block, before, entry.docids) &&
           keep_place<device_codec::SimdBp128>(image, segment.frequencies, segment.count, block, before,
                                               entry.frequencies);
  }
  // One warp operation decodes a block and a run alike: the bits of each number are at the same place for both.
  __device__ static bool reads_equal(const DeviceList&, std::uint32_t, const BlockEntry&, std::uint32_t, const Four&,
                                     const Four&, std::uint32_t) {
    return true;
  }
};

}  // namespace frond::leaf::gpu::codecs
