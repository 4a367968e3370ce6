#pragma once
// The codecs whose blobs search kernels read as they are, and their kernels. A codec is one line, X(function, id,
// docIDs, frequencies): the last two are structs of common/device_codec, the id is the registry's
// (common/codec/list_codec.cc). A line makes a search kernel in the family's .cu, an entry of the table
// (codec_table.cc), and a case in the kernels for lists of several codecs (mixed_lists.cuh).
//
// A family is a .cu of its own, so that they are compiled at the same time.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"
#include "leaf/gpu/list_kernels.h"

#define FROND_GPU_BINARY_PACKING(X)       \
  X(bp32, 7, Bp32, Bp32)                  \
  X(gpu_bp128, 8, GpuBp<128>, GpuBp<128>) \
  X(gpu_bp256, 9, GpuBp<256>, GpuBp<256>)

#define FROND_GPU_BYTE_CODECS(X)                   \
  X(vbyte, 2, VByte, VByte)                        \
  X(varintgb, 3, VarintGB, VarintGB)               \
  X(streamvbyte, 4, StreamVByte, StreamVByte)      \
  X(gpu_vbyte128, 5, GpuVByte<128>, GpuVByte<128>) \
  X(gpu_vbyte1024, 6, GpuVByte<1024>, GpuVByte<1024>)

#define FROND_GPU_RICE(X) X(rice, 10, Rice, Rice)

#define FROND_GPU_PATCHED(X)                      \
  X(pfd, 16, Patched<Pfd>, Patched<Pfd>)          \
  X(newpfd, 17, Patched<NewPfd>, Patched<NewPfd>) \
  X(parapfor, 18, Patched<ParaPFor>, Patched<ParaPFor>)

// Not levels 2 to 4: finding one exception there reads several of each level below, so one look-up would read thousands
// of numbers. Their lists are packed again when they are copied (list_image.h).
#define FROND_GPU_PFORDELTA(X)                  \
  X(pfordelta0, 11, PForDelta<0>, PForDelta<0>) \
  X(pfordelta1, 12, PForDelta<1>, PForDelta<1>)

// They store frequencies as simd-bp128 does.
#define FROND_GPU_LINES(X)                    \
  X(lrc, 19, Lrc, SimdBp128)                  \
  X(lrcseg, 20, SegmentLrc<true>, SimdBp128)  \
  X(seglrc, 21, SegmentLrc<false>, SimdBp128) \
  X(hs_lrc, 22, HsLrc, SimdBp128)

// All but simd-bp128, which has id 1 and kernels of its own (search/packed_lists.cuh).
#define FROND_GPU_CODECS(X)   \
  FROND_GPU_BINARY_PACKING(X) \
  FROND_GPU_BYTE_CODECS(X)    \
  FROND_GPU_RICE(X)           \
  FROND_GPU_PATCHED(X)        \
  FROND_GPU_PFORDELTA(X)      \
  FROND_GPU_LINES(X)

namespace frond::leaf::gpu::codecs {

// Whether kernels read the codec with this id.
bool is_served(std::uint8_t codec);
// The fastest kernel for lists with these codecs of docIDs and of frequencies, both served. kMixedCodecs: no kernel is
// made for the pair, so the one that looks up the codecs of each block.
ListCodecs kernel_for(std::uint8_t docids, std::uint8_t frequencies);
// Bytes of device memory for the place of one full block, beside its entry; 0: the entry has it.
struct PlaceBytes {
  std::size_t docids = 0, frequencies = 0;
};
PlaceBytes place_bytes(std::uint8_t codec);

// Launches the search kernel of the batch's codecs, which are not kPackedCodecs; for a batch with priors or clauses
// the one that looks up the codecs of each block. As search::search_lists().
Result<void> search_lists(const BatchOnDevice& batch, device::StreamHandle stream);

// The search kernel of each codec, and what is launched for lists of any codecs. All are asynchronous. kDevice.
#define FROND_DECLARE(function, id, docids, frequencies) \
  Result<void> search_##function(const BatchOnDevice& batch, device::StreamHandle stream);
FROND_GPU_CODECS(FROND_DECLARE)
#undef FROND_DECLARE

// For any served codecs: looked up for each block.
Result<void> start_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> count_hidden_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> search_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> sum_scores_mixed(const BatchOnDevice& batch, device::StreamHandle stream);
Result<void> admit_mixed(const ListImage& image, std::byte* at, std::uint32_t* errors, device::StreamHandle stream);

}  // namespace frond::leaf::gpu::codecs
