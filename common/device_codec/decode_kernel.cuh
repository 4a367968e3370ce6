#pragma once
// The kernel that all decoders share. A warp takes a run of consecutive blocks: first each lane finds the place of one
// block, then all lanes together decode the blocks one after the other. A codec is a struct with:
//
//   kRun      blocks of a run, at most 32
//   kAhead    blocks that are unpacked together, so that their loads overlap
//   kResident min thread blocks that fit on a multiprocessor (limits registers); 1: no limit
//   kAdds     true: it stores distances less one, which are added up; false: it yields docIDs
//   Place     32-bit words: where a block is, and how to read it
//   Scratch   shared memory of a warp
//   find()    one lane: the place of a block. False: corrupt
//   unpack()  the warp: the block's numbers, four a lane. False in any lane: corrupt. `narrow`: all are below 2^24
//   kSimple   whether it has a faster path for full blocks of numbers below 2^24:
//   simple()         one lane: whether the full block at this place may take it
//   unpack_simple()  the warp: the block's numbers. `doubtful` in any lane: the block must take unpack() instead
#include "common/device/launch.cuh"
#include "common/device_codec/block_of_list.cuh"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

inline constexpr std::uint32_t kThreads = 256, kWarps = kThreads / 32;

// The task that a block of the batch belongs to: the last one that begins at or before it.
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

// Converts what a codec stores to the output, and writes it. False in any lane: corrupt.
template <class Codec>
__device__ inline bool finish(Output output, const BlockOfList& of, const Unpacked& stored, std::uint32_t lane,
                              std::uint32_t* to) {
  Four numbers = stored.numbers;
  bool wrong = false;
  if (output == Output::kDocIds || !Codec::kAdds) {
    if (Codec::kAdds) numbers = add_up(numbers, of.before, lane);
    // 128 distances of 24 bits add up to less than 2^32: if any sum has wrapped round, the last is <= `before`.
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
struct Run {
  std::uint32_t task, at, some;
};

// What lane i has found for block i of a run.
template <class Codec>
struct FoundBlock {
  BlockOfList block{};
  typename Codec::Place place{};
  bool fine = false;
};
template <class Codec>
__device__ inline FoundBlock<Codec> find_block(const DecodeBatch& of, const DecodeTask& its, StreamWords stream,
                                               const Run& run, std::uint32_t lane) {
  FoundBlock<Codec> found;
  found.block = {its.stream.count, 0, kNoDoc};
  if (lane >= run.some) return found;
  const std::uint32_t place_in_task = run.at - its.first_block + lane;
  found.block.block = its.blocks ? its.blocks[place_in_task] : place_in_task;
  if (found.block.block >= codec::blocks_of(its.stream.count) || stream.size % 16 != 0) return found;
  if (found.block.block != 0 && of.output != Output::kFrequencies)
    found.block.before = __ldg(its.stream.lasts + found.block.block - 1);
  found.fine = Codec::find(stream, found.block, found.place);
  return found;
}

// Decodes any blocks, also short ones, corrupt ones, and wide numbers.
template <class Codec>
__device__ inline void decode_any(const DecodeBatch& of, StreamWords stream, const Run& run,
                                  const FoundBlock<Codec>& own, std::uint32_t lane, typename Codec::Scratch& scratch) {
  const unsigned found = __ballot_sync(kFullWarp, own.fine);
  std::uint32_t wrong = 0;  // bit i: this lane has found block i corrupt
  std::uint32_t* to = of.numbers + std::size_t{run.at} * kBlockLength;
  for (std::uint32_t i = 0; i < run.some; i += Codec::kAhead) {
    Unpacked unpacked[Codec::kAhead];
    BlockOfList blocks[Codec::kAhead];
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k) {
      const std::uint32_t one = min(i + k, run.some - 1);
      blocks[k] = {own.block.count, __shfl_sync(kFullWarp, own.block.block, static_cast<int>(one)),
                   __shfl_sync(kFullWarp, own.block.before, static_cast<int>(one))};
      const auto where = from_lane(own.place, one);
      if ((found >> one & 1) == 0 || !Codec::unpack(stream, blocks[k], where, lane, scratch, unpacked[k]))
        wrong |= 1u << one;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k)
      if (i + k < run.some && (found >> (i + k) & 1) != 0 &&
          !finish<Codec>(of.output, blocks[k], unpacked[k], lane, to + std::size_t{i + k} * kBlockLength))
        wrong |= 1u << (i + k);
  }
  if (!__any_sync(kFullWarp, wrong != 0)) return;
  std::uint32_t corrupt = 0;
  for (std::uint32_t i = 0; i < run.some; ++i) corrupt += __any_sync(kFullWarp, (wrong >> i & 1) != 0) ? 1 : 0;
  if (lane == 0) atomicAdd(of.corrupt_blocks + run.task, corrupt);
}
// The same, not inlined: the usual path, decode_simple(), then needs fewer registers.
template <class Codec>
__device__ __attribute__((noinline)) void decode_any_apart(DecodeBatch of, Run run, std::uint32_t lane,
                                                           typename Codec::Scratch& scratch) {
  const DecodeTask& its = of.tasks[run.task];
  const StreamWords stream{its.stream.words, its.stream.size};
  decode_any(of, stream, run, find_block<Codec>(of, its, stream, run, lane), lane, scratch);
}

// Decodes full blocks of narrow numbers, as nearly all are, with one check for all of them at the end. False: a block
// may be of another kind or corrupt, so all must be decoded again.
template <class Codec, bool kSums>
__device__ inline bool decode_simple(StreamWords stream, const Run& run, const FoundBlock<Codec>& own,
                                     std::uint32_t lane, std::uint32_t* numbers) {
  uint4* to = reinterpret_cast<uint4*>(numbers + std::size_t{run.at} * kBlockLength) + lane;
  bool doubtful = false;
  const auto unpack = [&](std::uint32_t i) {
    return Codec::unpack_simple(stream, from_lane(own.place, i), lane, doubtful);
  };
  const auto write = [&](std::uint32_t i, Four one) {
    if (kSums) {
      // `before` of block 0 is -1, the largest unsigned number; adding 1 to both sides makes the comparison right.
      const std::uint32_t before = __shfl_sync(kFullWarp, own.block.before, static_cast<int>(i));
      one = add_up(one, before, lane);
      doubtful |= one.at[3] + 1 <= before + 1;
    } else {
      for (std::uint32_t& number : one.at) ++number;
    }
    __stcs(to + i * (kBlockLength / 4), make_uint4(one.at[0], one.at[1], one.at[2], one.at[3]));
  };
  std::uint32_t i = 0;
  for (; i + Codec::kAhead <= run.some; i += Codec::kAhead) {
    Four ahead[Codec::kAhead];
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k) ahead[k] = unpack(i + k);
#pragma unroll
    for (std::uint32_t k = 0; k < Codec::kAhead; ++k) write(i + k, ahead[k]);
  }
  for (; i < run.some; ++i) write(i, unpack(i));
  return !__any_sync(kFullWarp, doubtful);
}

template <class Codec>
__device__ inline void decode_run(const DecodeBatch& of, const Run& run, std::uint32_t lane,
                                  typename Codec::Scratch& scratch) {
  const DecodeTask& its = of.tasks[run.task];
  const StreamWords stream{its.stream.words, its.stream.size};
  const FoundBlock<Codec> own = find_block<Codec>(of, its, stream, run, lane);
  if constexpr (Codec::kSimple) {
    if (__all_sync(kFullWarp, lane >= run.some || (own.fine && own.block.full() && Codec::simple(own.place)))) {
      const bool done = of.output == Output::kDocIds ? decode_simple<Codec, true>(stream, run, own, lane, of.numbers)
                                                     : decode_simple<Codec, false>(stream, run, own, lane, of.numbers);
      if (done) return;
    }
    decode_any_apart<Codec>(of, run, lane, scratch);
  } else {
    decode_any(of, stream, run, own, lane, scratch);
  }
}

template <class Codec>
__global__ void __launch_bounds__(kThreads, Codec::kResident) decode_blocks(DecodeBatch of) {
  __shared__ typename Codec::Scratch scratch[kWarps];
  const std::uint32_t lane = lane_of_warp(), warp = threadIdx.x / 32;
  const std::uint32_t from = (blockIdx.x * kWarps + warp) * Codec::kRun;
  if (from >= of.block_count) return;  // uniform across the warp
  const std::uint32_t end = min(from + Codec::kRun, of.block_count);
  std::uint32_t task = task_of(of, from);
  for (std::uint32_t at = from; at < end; ++task) {
    const std::uint32_t behind = task + 1 < of.task_count ? of.tasks[task + 1].first_block : of.block_count;
    const std::uint32_t some = min(behind, end) - at;
    if (some != 0) decode_run<Codec>(of, {task, at, some}, lane, scratch[warp]);
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
