#pragma once
// The codecs whose blobs search kernels read as they are: one line each. X(function, id, docIDs, frequencies): the last
// two are structs of common/device_codec. The id is the registry's (common/codec/list_codec.cc). A line makes a search
// kernel in the family's .cu, an entry of the table (codec_table.cc), and a case in the kernels for lists of several
// codecs (mixed_lists.cuh).
//
// A family is a .cu of its own, so that they are compiled at the same time.

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
