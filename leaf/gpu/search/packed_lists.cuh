#pragma once
// How kernels read the blocks of lists: lists of simd-bp128 here; in codecs/ those of other codecs. A kernel gets one
// of these structs as `Lists`:
//
//   Scratch       shared memory of a warp
//   docids()      the warp: a block's docIDs, four a lane. False in any lane: corrupt, which only admit() meets
//   frequencies() the warp: a block's frequencies less one, likewise
//   find()        one lane: a document's index in a block, 0 .. 127; kNone: the block does not have it. `run`: run_of()
//   frequency()   one lane: the frequency at an index
//
// Lanes may call find() and frequency() under divergence. `block` is the block's number in the list.
#include "leaf/gpu/search/thread.cuh"

namespace frond::leaf::gpu::search {

// The document's index in the block whose distances are at `docids`, 0 .. 127; kNone: the block does not hold it.
// Decodes only the run of 16 docIDs that may hold it.
__device__ inline std::uint32_t find_in_run(const DeviceList& list, PackedPlace docids, const Run& run, DocId docid) {
  // Numbers 4 i .. 4 i + 3 begin at the same bit, each in its own 32-bit column of the 16-byte rows (simd-bp128).
  constexpr std::uint32_t kFours = kRunLength / 4;
  const std::uint32_t width = width_of(docids), bit = run.number * kFours * width;
  const std::uint32_t mask = width == 32 ? 0xffffffffu : (1u << width) - 1;
  const auto* row = reinterpret_cast<const uint4*>(list.image + offset_of(docids)) + bit / 32;
  std::uint32_t shift = bit % 32, sum = run.before, index = kNone;
  // Two rows at once, more only for wide numbers. No row behind the run's last one is read.
  uint4 low = make_uint4(0, 0, 0, 0), high = low;
  if (width != 0) low = __ldg(row);
  if (shift + kFours * width > 32) high = __ldg(row + 1);
  ++row;
#pragma unroll
  for (std::uint32_t i = 0; i < kFours; ++i) {
    sum += (__funnelshift_r(low.x, high.x, shift) & mask) + 1;
    if (sum == docid) index = 4 * i;
    sum += (__funnelshift_r(low.y, high.y, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 1;
    sum += (__funnelshift_r(low.z, high.z, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 2;
    sum += (__funnelshift_r(low.w, high.w, shift) & mask) + 1;
    if (sum == docid) index = 4 * i + 3;
    shift += width;
    if (shift < 32) continue;
    shift -= 32;
    low = high;
    ++row;
    if (i + 1 < kFours && shift + (kFours - 1 - i) * width > 32) high = __ldg(row);
  }
  return index == kNone ? kNone : run.number * kRunLength + index;
}

struct PackedLists {
  struct Scratch {};
  __device__ static bool docids(const DeviceList& list, std::uint32_t, const BlockEntry& entry, std::uint32_t before,
                                std::uint32_t lane, Scratch&, Four& out) {
    out = decode_docids(list.image, entry.docids, before, lane);
    return true;
  }
  __device__ static bool frequencies(const DeviceList& list, std::uint32_t, const BlockEntry& entry, std::uint32_t lane,
                                     Scratch&, Four& out) {
    out = unpack_four(list.image, entry.frequencies, lane);
    return true;
  }
  __device__ static std::uint32_t find(const DeviceList& list, std::uint32_t, const BlockEntry& entry, const Run& run,
                                       DocId docid) {
    return find_in_run(list, entry.docids, run, docid);
  }
  __device__ static std::uint32_t frequency(const DeviceList& list, std::uint32_t, const BlockEntry& entry,
                                            std::uint32_t index) {
    return one_frequency(list.image, entry.frequencies, index);
  }
};

}  // namespace frond::leaf::gpu::search
