#pragma once
// The kernels of list_kernels.h and their launchers, for lists that `Lists` reads (search/packed_lists.cuh). Beside
// what search kernels use, admission uses:
//
//   find_place()   one lane: computes where a full block lies and keeps it, in the entry or the image. False: not
//                  within its stream
//   reads_equal()  the warp: whether find() and frequency() will read the same numbers of this block as the warp has
//                  decoded, and stay within the image. Both decode the same bytes, but blocks that no encoder made may
//                  have two readings
#include "common/device/launch.cuh"
#include "leaf/gpu/block.cuh"
#include "leaf/gpu/list_kernels.h"

namespace frond::leaf::gpu {

inline constexpr std::uint32_t kMakeThreads = 256;
// Groups of threads that make the entries of so many blocks.
__host__ __device__ constexpr std::uint32_t entry_groups(std::uint32_t blocks) { return blocks / kMakeThreads + 1; }

struct Admission {
  DeviceList list;
  std::byte* image;
  BlockEntry* blocks;
  std::uint32_t* table;
  std::uint32_t* starts;
  std::uint32_t* marks;
  std::uint32_t* errors;
  const SegmentPlace* segments;
  BlockEntry last_block;
  bool has_last_block;
  std::uint32_t block_count, table_entries, table_shift, mark_words, marks_shift, documents;
};

template <class T>
__device__ inline T load(const std::byte* image, std::uint32_t offset) {
  return __ldg(reinterpret_cast<const T*>(image + offset));
}

// Mapping: one thread an entry; all clear the marks. Result: entries and places in device memory. Shared memory: none.
template <class Lists>
__global__ void __launch_bounds__(kMakeThreads) make_entries(Admission to) {
  const std::uint32_t block = blockIdx.x * kMakeThreads + threadIdx.x;
  for (std::uint32_t word = block; word < to.mark_words; word += entry_groups(to.block_count) * kMakeThreads)
    to.marks[word] = 0;
  if (block == 0) {
    to.blocks[-1] = {kNoDoc, 0, 0, 0};
    to.blocks[to.block_count] = {kNoDoc, 0, 0, 0};
  }
  if (block >= to.block_count) return;
  if (to.has_last_block && block + 1 == to.block_count) {
    to.blocks[block] = to.last_block;
    return;
  }
  const SegmentPlace& segment = to.segments[block / kSegmentBlocks];
  const std::uint32_t inside = block % kSegmentBlocks;
  BlockEntry entry{};
  entry.last = load<std::uint32_t>(to.image, segment.last_docids + 4 * inside);
  const std::uint32_t steps = load<std::uint8_t>(to.image, segment.deficits + inside);
  entry.deficit_and_count = (segment.min_deficit + (steps << segment.deficit_shift)) << 16 | codec::kBlockLength;
  const DocId before = inside ? load<std::uint32_t>(to.image, segment.last_docids + 4 * inside - 4) : kNoDoc;
  if (!Lists::find_place(to.image, segment, inside, before, entry)) {
    entry.docids = entry.frequencies = 0;
    entry.last = kNoDoc;  // check_blocks() reads no more of the block
    atomicAdd(to.errors, 1u);
  }
  to.blocks[block] = entry;
}

// Whether the lane's four postings are sound, as far as the block has that many. Writes the starts of the block's runs
// and sets the marks of its documents. All lanes of a warp call it.
template <class Lists>
__device__ bool numbers_fine(const Admission& to, const BlockEntry& entry, std::uint32_t before, std::uint32_t block,
                             std::uint32_t lane, typename Lists::Scratch& scratch) {
  const std::uint32_t start = docid_before(to.blocks, block);
  Four docids{}, frequencies{};
  bool fine = entry.last < to.documents;  // equal in all lanes
  if (!fine) return false;
  fine = Lists::docids(to.list, block, entry, start, lane, scratch, docids);
  fine = Lists::frequencies(to.list, block, entry, lane, scratch, frequencies) && fine;
  constexpr std::uint32_t kLanes = kRunLength / 4;
  std::uint32_t* starts = to.starts + std::size_t{block} * kRuns;
  if (lane == 0) starts[0] = start;
  if (lane % kLanes == kLanes - 1 && lane != 31) starts[lane / kLanes + 1] = docids.at[3];
  const std::uint32_t count = size_of(entry);
  std::uint32_t previous = __shfl_up_sync(kFullWarp, docids.at[3], 1);
  if (lane == 0) previous = before;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t index = 4 * lane + i;
    if (index < count) {
      fine = fine && (docids.at[i] > previous || (block == 0 && index == 0)) && frequencies.at[i] != 0xffffffffu;
      if (index + 1 == count) fine = fine && docids.at[i] == entry.last;
    }
    previous = docids.at[i];
  }
  for (std::uint32_t i = 0; i < 4 && 4 * lane + i < count; ++i) {
    const std::uint32_t range = docids.at[i] >> to.marks_shift;
    if (docids.at[i] < to.documents) atomicOr(to.marks + range / 32, 1u << (range % 32));
  }
  if (!__all_sync(kFullWarp, fine)) return false;
  return Lists::reads_equal(to.list, block, entry, start, docids, frequencies, lane);
}

// Mapping: one warp a block. It decodes the block and writes its starts of runs and the table entries of the ranges
// that begin in it. Result: in device memory. Shared memory: Lists::Scratch for each warp.
template <class Lists, std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads) check_blocks(Admission to) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  __shared__ typename Lists::Scratch scratch[kWarps];
  const std::uint32_t block = blockIdx.x * kWarps + threadIdx.x / 32, lane = lane_of_warp();
  if (block >= to.block_count) return;  // uniform across the warp
  const BlockEntry entry = to.blocks[block];
  const std::uint32_t before = to.blocks[static_cast<int>(block) - 1].last;
  if (!__all_sync(kFullWarp, numbers_fine<Lists>(to, entry, before, block, lane, scratch[threadIdx.x / 32]))) {
    if (lane == 0) atomicAdd(to.errors, 1u);
    return;
  }
  const std::uint32_t first = block ? (before >> to.table_shift) + 1 : 0;
  const std::uint32_t last = entry.last >> to.table_shift;  // within the table, since the docID was checked
  for (std::uint32_t range = first + lane; range <= last; range += 32) to.table[range] = block;
  if (block + 1 < to.block_count) return;
  for (std::uint32_t range = last + 1 + lane; range < to.table_entries; range += 32) to.table[range] = to.block_count;
}

template <class Lists, std::uint32_t kThreads>
Result<void> launch_admission(const ListImage& image, std::byte* at, std::uint32_t* errors,
                              device::StreamHandle stream) {
  constexpr std::uint32_t kWarps = kThreads / 32;
  const DeviceList list = image.at(at);
  const Admission to{.list = list,
                     .image = at,
                     .blocks = reinterpret_cast<BlockEntry*>(at) + 1,
                     .table = const_cast<std::uint32_t*>(list.table),
                     .starts = const_cast<std::uint32_t*>(list.starts),
                     .marks = const_cast<std::uint32_t*>(list.marks),
                     .errors = errors,
                     .segments = reinterpret_cast<const SegmentPlace*>(at + image.segments_offset()),
                     .last_block = image.last_block(),
                     .has_last_block = image.has_last_block(),
                     .block_count = list.block_count,
                     .table_entries = image.table_entries(),
                     .table_shift = list.table_shift,
                     .mark_words = image.mark_words(),
                     .marks_shift = list.marks_shift,
                     .documents = image.documents()};
  FROND_TRY(
      device::launch("make_entries", make_entries<Lists>, entry_groups(list.block_count), kMakeThreads, stream, to));
  return device::launch("check_blocks", check_blocks<Lists, kThreads>, (list.block_count + kWarps - 1) / kWarps,
                        kThreads, stream, to);
}

}  // namespace frond::leaf::gpu
