#pragma once
// The kernel that all decoders share: a warp takes a run of blocks, finds all of them at once, a lane each, then
// decodes one after the other, with all lanes. A codec is a struct:
//
//   kRun      blocks of a run, at most 32
//   kAhead    blocks whose loads are on their way together
//   kAdds     whether it stores distances less one, to be added up; false: it gives docIDs
//   Place     32-bit words: where a block is, and how to read it
//   Scratch   shared memory of a warp
//   find()    one lane: the place of a block; false: corrupt
//   unpack()  the warp: its numbers, four a lane; false, in any lane: corrupt. `narrow`: all of them are below 2^24
#include "common/device/launch.cuh"
#include "common/device_codec/decode_batch.h"
#include "common/device_codec/warp.cuh"

namespace frond::device_codec {

inline constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;

// What find() and unpack() are told of a block.
struct BlockOfList {
  std::uint32_t count;   // numbers of the list
  std::uint32_t block;   // below its blocks
  std::uint32_t before;  // docID before the block's first; kNoDoc: none
  __device__ std::uint32_t first() const { return block * kBlockLength; }
  __device__ std::uint32_t size() const { return min(kBlockLength, count - first()); }
  __device__ bool full() const { return count - first() >= kBlockLength; }
};

struct Unpacked {
  Four numbers{};
  bool narrow = false;
};

// The task that a block of the batch belongs to: the last that does not begin behind it.
__device__ inline std::uint32_t task_of(const DecodeBatch& of, std::uint32_t block) {
  std::uint32_t low = 0, high = of.task_count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (of.tasks[middle].first_block <= block)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Turns what a codec stores into the output, and writes it. False, in any lane: corrupt.
template <class Codec>
__device__ inline bool finish(Output output, const BlockOfList& of, const Unpacked& stored, std::uint32_t lane,
                              std::uint32_t* to) {
  Four numbers = stored.numbers;
  bool wrong = false;
  if (output == Output::kDocIds || !Codec::kAdds) {
    if (Codec::kAdds) numbers = add_up(numbers, of.before, lane);
    // 128 distances of 24 bits add up to less than 2^32: the sums have wrapped round just where the last one has.
    if (stored.narrow && of.full())
      wrong = lane == 31 && of.before != kNoDoc && numbers.at[3] <= of.before;
    else
      wrong = out_of_order(numbers, of.before, of.size(), lane);
  } else {
    for (std::uint32_t i = 0; i < 4; ++i) wrong |= ++numbers.at[i] == 0 && 4 * lane + i < of.size();
  }
  __stcs(reinterpret_cast<uint4*>(to) + lane, make_uint4(numbers.at[0], numbers.at[1], numbers.at[2], numbers.at[3]));
  return !wrong;
}

// Blocks [at, at + some) of the batch, all of one task; some <= kRun.
template <class Codec>
__device__ inline void decode_run(const DecodeBatch& of, std::uint32_t task, std::uint32_t at, std::uint32_t some,
                                  std::uint32_t lane, typename Codec::Scratch& scratch) {
  const DecodeTask& its = of.tasks[task];
  const StreamWords stream{its.stream.words, its.stream.size};
  const std::uint32_t count = its.stream.count, place_in_task = at - its.first_block;
  typename Codec::Place place{};
  BlockOfList own{count, 0, kNoDoc};
  bool fine = false;
  if (lane < some) {
    own.block = its.blocks ? its.blocks[place_in_task + lane] : place_in_task + lane;
    if (own.block < codec::blocks_of(count) && stream.size % 16 == 0) {
      if (own.block != 0 && of.output != Output::kFrequencies) own.before = __ldg(its.stream.lasts + own.block - 1);
      fine = Codec::find(stream, own, place);
    }
  }
  const unsigned found = __ballot_sync(kFullWarp, fine);
  std::uint32_t wrong = 0;  // bit i: this lane has seen that block i is
  std::uint32_t* to = of.numbers + std::size_t{at} * kBlockLength;
  for (std::uint32_t i = 0; i < some; i += Codec::kAhead) {
    Unpacked unpacked[Codec::kAhead];
    BlockOfList blocks[Codec::kAhead];
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k) {
      const std::uint32_t one = min(i + k, some - 1);
      blocks[k] = {count, its.blocks ? __shfl_sync(kFullWarp, own.block, static_cast<int>(one)) : place_in_task + one,
                   __shfl_sync(kFullWarp, own.before, static_cast<int>(one))};
      const auto where = from_lane(place, one);
      if ((found >> one & 1) == 0 || !Codec::unpack(stream, blocks[k], where, lane, scratch, unpacked[k]))
        wrong |= 1u << one;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k)
      if (i + k < some && (found >> (i + k) & 1) != 0 &&
          !finish<Codec>(of.output, blocks[k], unpacked[k], lane, to + std::size_t{i + k} * kBlockLength))
        wrong |= 1u << (i + k);
  }
  if (!__any_sync(kFullWarp, wrong != 0)) return;
  std::uint32_t corrupt = 0;
  for (std::uint32_t i = 0; i < some; ++i) corrupt += __any_sync(kFullWarp, (wrong >> i & 1) != 0) ? 1 : 0;
  if (lane == 0) atomicAdd(of.corrupt_blocks + task, corrupt);
}

template <class Codec>
__global__ void __launch_bounds__(kThreads) decode_blocks(DecodeBatch of) {
  __shared__ typename Codec::Scratch scratch[kWarps];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t from = (blockIdx.x * kWarps + warp) * Codec::kRun;
  if (from >= of.block_count) return;  // the whole warp
  const std::uint32_t end = min(from + Codec::kRun, of.block_count);
  std::uint32_t task = task_of(of, from);
  for (std::uint32_t at = from; at < end; ++task) {
    const std::uint32_t behind = task + 1 < of.task_count ? of.tasks[task + 1].first_block : of.block_count;
    const std::uint32_t some = min(behind, end) - at;
    if (some != 0) decode_run<Codec>(of, task, at, some, lane, scratch[warp]);
    at += some;
  }
}

template <class Codec>
Result<void> launch_decoder(const char* what, const DecodeBatch& batch, device::StreamHandle stream) {
  constexpr std::uint32_t kBlocks = kWarps * Codec::kRun;
  return device::launch(what, decode_blocks<Codec>, (batch.block_count + kBlocks - 1) / kBlocks, kThreads, stream,
                        batch);
}

}  // namespace frond::device_codec
