#pragma once
// How kernels read lists of any served codecs: the codecs of each full block are looked up in its segment. Functions of
// single codecs are not inlined, so that each is compiled once.
#include <algorithm>

#include "common/device_codec/byte_codecs.cuh"
#include "common/device_codec/lines.cuh"
#include "common/device_codec/patched.cuh"
#include "common/device_codec/pfordelta.cuh"
#include "common/device_codec/rice.cuh"
#include "leaf/gpu/codecs/served_codecs.h"
#include "leaf/gpu/codecs/stream_lists.cuh"

namespace frond::leaf::gpu::codecs {

using namespace device_codec;

#define FROND_ANY_CODEC(X) X(simd_bp128, kPackedCodecs, SimdBp128, SimdBp128) FROND_GPU_CODECS(X)

// Shared memory for any codec.
#define FROND_SIZE(function, id, docids, frequencies) sizeof(docids::Scratch), sizeof(frequencies::Scratch),
inline constexpr std::size_t kScratchBytes = std::max({FROND_ANY_CODEC(FROND_SIZE) std::size_t{16}});
#undef FROND_SIZE

// The functions of one codec and kind of number, apart. `scratch`: kScratchBytes.
template <class Codec, bool kFrequencies>
struct Apart {
  static constexpr bool kAdds = Codec::kAdds;
  __device__ __attribute__((noinline)) static bool keep(std::byte* image, const SegmentPlace::Stream& its,
                                                        std::uint32_t count, std::uint32_t block, DocId before,
                                                        PackedPlace& in_entry) {
    return keep_place<Codec>(image, its, count, block, before, in_entry);
  }
  __device__ __attribute__((noinline)) static bool unpack(const DeviceList& list, std::uint32_t block,
                                                          PackedPlace in_entry, std::uint32_t lane, std::byte* scratch,
                                                          Four& out) {
    return unpack_stream<Codec, kFrequencies>(list, block, in_entry, lane,
                                              *reinterpret_cast<typename Codec::Scratch*>(scratch), out);
  }
  __device__ __attribute__((noinline)) static bool agrees(const DeviceList& list, std::uint32_t block,
                                                          PackedPlace in_entry, std::uint32_t before,
                                                          const Four& numbers, std::uint32_t lane) {
    return reader_agrees<Codec, kFrequencies>(list, block, in_entry, before, numbers, lane);
  }
  __device__ __attribute__((noinline)) static std::uint32_t find(const DeviceList& list, std::uint32_t block,
                                                                 PackedPlace in_entry, Run run, DocId docid) {
    return find_in_stream<Codec>(list, block, in_entry, run, docid);
  }
  __device__ __attribute__((noinline)) static std::uint32_t frequency(const DeviceList& list, std::uint32_t block,
                                                                      PackedPlace in_entry, std::uint32_t index) {
    return frequency_in_stream<Codec>(list, block, in_entry, index);
  }
};

// Returns what `call` returns for the codec with this id; `missing`: there is none.
#define FROND_CALL(id, call, missing) \
  switch (id) {                       \
    FROND_ANY_CODEC(call)             \
    default:                          \
      return missing;                 \
  }

struct MixedLists {
  struct alignas(16) Scratch {
    std::byte bytes[kScratchBytes];
  };
  __device__ static bool full(const BlockEntry& entry) { return size_of(entry) == codec::kBlockLength; }
  __device__ static const SegmentPlace& segment_of(const DeviceList& list, std::uint32_t block) {
    return list.segments[block / kSegmentBlocks];
  }

  __device__ static bool docids(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                std::uint32_t before, std::uint32_t lane, Scratch& scratch, Four& out) {
    if (!full(entry)) return search::PackedLists::docids(list, block, entry, before, lane, packed(scratch), out);
    const auto add_up_of = [&](bool fine, bool adds) {
      if (adds) out = device::add_up(out, before, lane);
      return fine;
    };
#define FROND_CASE(function, id, Codec, Other) \
  case id:                                     \
    return add_up_of(Apart<Codec, false>::unpack(list, block, entry.docids, lane, scratch.bytes, out), Codec::kAdds);
    FROND_CALL(segment_of(list, block).docids.codec, FROND_CASE, false)
#undef FROND_CASE
  }
  __device__ static bool frequencies(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                     std::uint32_t lane, Scratch& scratch, Four& out) {
    if (!full(entry)) return search::PackedLists::frequencies(list, block, entry, lane, packed(scratch), out);
#define FROND_CASE(function, id, Other, Codec) \
  case id:                                     \
    return Apart<Codec, true>::unpack(list, block, entry.frequencies, lane, scratch.bytes, out);
    FROND_CALL(segment_of(list, block).frequencies.codec, FROND_CASE, false)
#undef FROND_CASE
  }
  __device__ static std::uint32_t find(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                       const Run& run, DocId docid) {
    if (!full(entry)) return search::find_in_run(list, entry.docids, run, docid);
#define FROND_CASE(function, id, Codec, Other) \
  case id:                                     \
    return Apart<Codec, false>::find(list, block, entry.docids, run, docid);
    FROND_CALL(segment_of(list, block).docids.codec, FROND_CASE, kNone)
#undef FROND_CASE
  }
  __device__ static std::uint32_t frequency(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                            std::uint32_t index) {
    if (!full(entry)) return one_frequency(list.image, entry.frequencies, index);
#define FROND_CASE(function, id, Other, Codec) \
  case id:                                     \
    return Apart<Codec, true>::frequency(list, block, entry.frequencies, index);
    FROND_CALL(segment_of(list, block).frequencies.codec, FROND_CASE, 1)
#undef FROND_CASE
  }

  // For admission (list_kernels.cuh).
  __device__ static bool find_place(std::byte* image, const SegmentPlace& segment, std::uint32_t block, DocId before,
                                    BlockEntry& entry) {
    return keep_docids(image, segment, block, before, entry) && keep_frequencies(image, segment, block, before, entry);
  }
  __device__ static bool reads_equal(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                     std::uint32_t before, const Four& docids, const Four& frequencies,
                                     std::uint32_t lane) {
    return !full(entry) || (docids_agree(list, block, entry, before, docids, lane) &&
                            frequencies_agree(list, block, entry, frequencies, lane));
  }

 private:
  __device__ static search::PackedLists::Scratch& packed(Scratch& scratch) {
    return *reinterpret_cast<search::PackedLists::Scratch*>(&scratch);
  }
  __device__ static bool keep_docids(std::byte* image, const SegmentPlace& segment, std::uint32_t block, DocId before,
                                     BlockEntry& entry) {
#define FROND_CASE(function, id, Codec, Other) \
  case id:                                     \
    return Apart<Codec, false>::keep(image, segment.docids, segment.count, block, before, entry.docids);
    FROND_CALL(segment.docids.codec, FROND_CASE, false)
#undef FROND_CASE
  }
  __device__ static bool keep_frequencies(std::byte* image, const SegmentPlace& segment, std::uint32_t block,
                                          DocId before, BlockEntry& entry) {
#define FROND_CASE(function, id, Other, Codec) \
  case id:                                     \
    return Apart<Codec, true>::keep(image, segment.frequencies, segment.count, block, before, entry.frequencies);
    FROND_CALL(segment.frequencies.codec, FROND_CASE, false)
#undef FROND_CASE
  }
  // All lanes call these, and all have the same codec.
  __device__ static bool docids_agree(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                      std::uint32_t before, const Four& docids, std::uint32_t lane) {
#define FROND_CASE(function, id, Codec, Other) \
  case id:                                     \
    return __all_sync(kFullWarp, Apart<Codec, false>::agrees(list, block, entry.docids, before, docids, lane));
    FROND_CALL(segment_of(list, block).docids.codec, FROND_CASE, false)
#undef FROND_CASE
  }
  __device__ static bool frequencies_agree(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                           const Four& frequencies, std::uint32_t lane) {
#define FROND_CASE(function, id, Other, Codec) \
  case id:                                     \
    return __all_sync(kFullWarp, Apart<Codec, true>::agrees(list, block, entry.frequencies, 0, frequencies, lane));
    FROND_CALL(segment_of(list, block).frequencies.codec, FROND_CASE, false)
#undef FROND_CASE
  }
};

}  // namespace frond::leaf::gpu::codecs
