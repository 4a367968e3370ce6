// Pieces of 128 postings and more to blobs, the same bytes as postings::ListBuilder's (docs/formats/list-blob.md),
// packed with simd-bp128. A thread block codes a piece, its warps code blocks of 128 postings.
#include "common/codec/binary_packing/simd_bp128.h"
#include "common/postings/long_form.h"
#include "common/postings/posting_list.h"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/lists/list_kernels.h"
#include "indexer/invert/gpu/text/lists/piece_code.cuh"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::uint32_t kThreads = 512, kWarps = kThreads / 32;
constexpr std::uint32_t kWords = 136;  // of a warp: 127 times 33 bits, or a packed block
constexpr std::uint32_t kBins = 1024;  // of deficits, as in ListBuilder

// What the threads of a block share.
struct Shared {
  std::uint32_t words[kWarps][kWords];
  std::uint32_t blocks[postings::kSegmentBlocks];  // of each block: where it begins in 16 bytes; then its deficit
  std::uint32_t bins[kBins];
  std::uint32_t docid_bytes, frequency_bytes, end;
  unsigned long long occurrences;
  std::uint32_t least, greatest;  // deficits: the bits of one posting's; packed, of one block
  std::uint32_t scale_min, scale_shift;
  std::uint32_t best[3];  // steps
};

__device__ std::uint32_t warp_of_block() { return threadIdx.x / 32; }

__device__ std::uint32_t all_bits(const Four& numbers) {
  return warp_or(numbers.at[0] | numbers.at[1] | numbers.at[2] | numbers.at[3]);
}
__device__ std::uint32_t size_of_block(const Postings& all, std::uint32_t block) {
  return min(all.count - block * kBlock, kBlock);
}

// Bytes of a block in a stream: of a full one, its width times 16; else those of its Rice code.
__device__ std::uint32_t bytes_of_block(const Four& numbers, std::uint32_t size) {
  if (size == kBlock) return width_of(all_bits(numbers)) * 16;
  return static_cast<std::uint32_t>((choose_rice(numbers, size).bits + 7) / 8);
}
__device__ std::uint32_t whole_units(std::uint32_t bytes) { return (bytes + 15) / 16; }

// A full block, in four lanes (vertical.h).
__device__ void write_block(const Four& numbers, std::uint32_t width, std::uint32_t* words, std::uint8_t* to,
                            std::uint32_t lane) {
  clear_words(words, 4 * width, lane);
  for (std::uint32_t i = 0; i < 4 && width > 0; ++i) {
    const std::uint32_t bit = lane * width;
    const std::uint64_t bits = std::uint64_t{numbers.at[i]} << (bit % 32);
    atomicOr(words + bit / 32 * 4 + i, static_cast<std::uint32_t>(bits));
    if (bits >> 32 != 0) atomicOr(words + bit / 32 * 4 + 4 + i, static_cast<std::uint32_t>(bits >> 32));
  }
  copy_words(words, 16 * width, reinterpret_cast<std::uint32_t*>(to), lane);
}

// How many postings have packed deficits, rounded up, of at most `most`.
__device__ std::uint32_t count_up_to(const Postings& all, std::uint32_t most, std::uint32_t lane) {
  std::uint32_t own = 0;
  for (std::uint32_t at = lane; at < all.count; at += 32)
    own += scoring::pack_deficit_bits_up(all.deficits[at]) <= most ? 1 : 0;
  return static_cast<std::uint32_t>(warp_sum(own));
}

// The least packed deficit that `rank` postings do not exceed; bins: of them, from `least` on, the last has the rest.
__device__ std::uint32_t deficit_of_rank(const Postings& all, const std::uint32_t* bins, std::uint32_t least,
                                         std::uint32_t rank, std::uint32_t lane) {
  constexpr std::uint32_t kOfLane = kBins / 32;
  std::uint32_t own = 0;
  for (std::uint32_t i = 0; i < kOfLane; ++i) own += bins[lane * kOfLane + i];
  const std::uint32_t before = device::sum_before(own, lane);
  const unsigned here = __ballot_sync(kFullWarp, before < rank && rank <= before + own);
  std::uint32_t bin = lane * kOfLane, sum = before + bins[bin];
  while (sum < rank && bin + 1 < (lane + 1) * kOfLane) sum += bins[++bin];
  bin = __shfl_sync(kFullWarp, bin, __ffs(static_cast<int>(here)) - 1);
  if (bin + 1 < kBins) return least + bin;
  std::uint32_t low = least + bin, high = 0xffff;  // the answer is among these
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (count_up_to(all, middle, lane) >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

constexpr std::uint32_t kFirstRank = postings::kBestRanks[0], kSecondRank = postings::kBestRanks[1],
                        kThirdRank = postings::kBestRanks[2];
static_assert(postings::kBestRanks.size() == 3);
__device__ std::uint32_t rank_at(int i) { return i == 0 ? kFirstRank : i == 1 ? kSecondRank : kThirdRank; }

// Mapping: a thread block a piece, a warp a block of 128. Result: the pieces' bytes, codes and occurrences; offsets:
// bytes. Shared memory: 16 bytes.
__global__ void __launch_bounds__(kThreads) measure_long(ListWindow window, std::uint32_t grid) {
  __shared__ std::uint32_t docid_bytes, frequency_bytes;
  __shared__ unsigned long long occurrences;
  const std::uint32_t lane = device::lane_of_warp();
  for (std::uint32_t i = blockIdx.x; i < window.counts->long_pieces; i += grid) {
    ListPiece piece = window.pieces[window.long_pieces[i]];
    const Postings all = postings_of(window, piece);
    const std::uint32_t blocks = codec::blocks_of(all.count);
    if (threadIdx.x == 0) {
      docid_bytes = frequency_bytes = static_cast<std::uint32_t>(codec::simd_bp_index_bytes(all.count));
      occurrences = 0;
    }
    __syncthreads();
    unsigned long long own = 0;
    for (std::uint32_t block = warp_of_block(); block < blocks; block += kWarps) {
      const std::uint32_t size = size_of_block(all, block);
      const Four frequencies = frequency_distances(all, block, lane);
      const std::uint32_t docid_part = bytes_of_block(docid_distances(all, block, lane), size);
      const std::uint32_t frequency_part = bytes_of_block(frequencies, size);
      for (const std::uint32_t frequency : frequencies.at) own += frequency;
      if (lane != 0) continue;
      atomicAdd(&docid_bytes, docid_part);
      atomicAdd(&frequency_bytes, frequency_part);
    }
    own = warp_sum(own);
    if (lane == 0) atomicAdd(&occurrences, own);
    __syncthreads();
    if (threadIdx.x == 0) {
      piece.code = whole_units(docid_bytes);
      piece.bytes = static_cast<std::uint32_t>(postings::kLongHeaderBytes) +
                    (whole_units(docid_bytes) + whole_units(frequency_bytes)) * 16 + blocks * 5;
      piece.occurrences = occurrences + all.count;  // frequencies are less one
      note_size(window, window.long_pieces[i], piece);
    }
    __syncthreads();
  }
}

// Turns the widths of blocks into where these begin, and sets `end` behind the last. By one warp.
__device__ void place_blocks(Shared& shared, std::uint32_t blocks, std::uint32_t lane) {
  std::uint32_t end = 0;
  for (std::uint32_t first = 0; first < blocks; first += 32) {
    const std::uint32_t width = first + lane < blocks ? shared.blocks[first + lane] : 0;
    const std::uint32_t before = device::sum_before(width, lane);
    if (first + lane < blocks) shared.blocks[first + lane] = end + before;
    end += __shfl_sync(kFullWarp, before + width, 31);
  }
  if (lane == 0) shared.end = end * 16;
}

// The last block, if it is not full, and zeros up to the widths. By one warp.
__device__ void write_last_block(const Four& numbers, std::uint32_t size, std::uint32_t* words, std::uint8_t* to,
                                 const std::uint8_t* widths, std::uint32_t lane) {
  std::uint32_t bytes = 0;
  if (size < kBlock) {
    const RiceCode rice = choose_rice(numbers, size);
    clear_words(words, kWords, lane);
    put_rice(words, 0, numbers, size, rice.parameter, lane);
    __syncwarp();
    bytes = static_cast<std::uint32_t>((rice.bits + 7) / 8);
    for (std::uint32_t i = lane; i < bytes; i += 32) to[i] = static_cast<std::uint8_t>(words[i / 4] >> (i % 4 * 8));
  }
  for (std::uint32_t i = bytes + lane; to + i < widths; i += 32) to[i] = 0;
}

// A stream of so many times 16 bytes. distances(all, block, lane): of a block.
template <class Distances>
__device__ void write_stream(const Postings& all, Distances distances, std::uint32_t units, Shared& shared,
                             std::uint8_t* to) {
  const std::uint32_t lane = device::lane_of_warp(), warp = warp_of_block(), blocks = codec::blocks_of(all.count);
  std::uint8_t* const widths = to + units * 16 - codec::simd_bp_index_bytes(all.count);
  auto* const checkpoints = reinterpret_cast<std::uint32_t*>(to + units * 16) - codec::checkpoints_of(blocks);
  for (std::uint32_t block = warp; block < blocks; block += kWarps) {
    const std::uint32_t size = size_of_block(all, block);
    const Four numbers = distances(all, block, lane);
    const std::uint32_t parameter = size == kBlock ? width_of(all_bits(numbers)) : choose_rice(numbers, size).parameter;
    if (lane != 0) continue;
    widths[block] = static_cast<std::uint8_t>(parameter);
    shared.blocks[block] = size == kBlock ? parameter : 0;
  }
  __syncthreads();
  if (warp == 0) place_blocks(shared, blocks, lane);
  __syncthreads();
  for (std::uint32_t block = warp; block < blocks; block += kWarps) {
    const std::uint32_t begin = shared.blocks[block];
    if (lane == 0 && block > 0 && block % codec::kGroupBlocks == 0)
      checkpoints[block / codec::kGroupBlocks - 1] = begin;
    const std::uint32_t size = size_of_block(all, block);
    const Four numbers = distances(all, block, lane);
    if (size == kBlock) write_block(numbers, width_of(all_bits(numbers)), shared.words[warp], to + begin * 16, lane);
    if (block + 1 == blocks) write_last_block(numbers, size, shared.words[warp], to + shared.end, widths, lane);
  }
  __syncthreads();
}

// Sets what a blob says of its deficits; shared.blocks: packed, of each block.
__device__ void find_bounds(const Postings& all, Shared& shared) {
  const std::uint32_t lane = device::lane_of_warp(), blocks = codec::blocks_of(all.count);
  if (threadIdx.x == 0) {
    shared.least = 0xffffffffu;
    shared.greatest = 0;
  }
  for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads) shared.bins[bin] = 0;
  __syncthreads();
  for (std::uint32_t block = warp_of_block(); block < blocks; block += kWarps) {
    const std::uint32_t least = least_deficit(all, block, lane);
    if (lane != 0) continue;
    shared.blocks[block] = scoring::pack_deficit_bits(least);
    atomicMin(&shared.least, least);
    atomicMax(&shared.greatest, shared.blocks[block]);
  }
  __syncthreads();
  const std::uint32_t first = scoring::pack_deficit_bits_up(shared.least);
  for (std::uint32_t at = threadIdx.x; at < all.count; at += kThreads)
    atomicAdd(shared.bins + min(scoring::pack_deficit_bits_up(all.deficits[at]) - first, kBins - 1), 1u);
  __syncthreads();
  if (warp_of_block() != 0) return;
  std::uint32_t best[3], greatest = shared.greatest;
  for (int i = 0; i < 3; ++i) {
    best[i] = rank_at(i) <= all.count ? deficit_of_rank(all, shared.bins, first, rank_at(i), lane) : 0;
    greatest = max(greatest, best[i]);
  }
  if (lane != 0) return;
  const postings::DeficitScale scale =
      postings::deficit_scale(scoring::pack_deficit_bits(shared.least), static_cast<scoring::PackedDeficit>(greatest));
  shared.scale_min = scale.min;
  shared.scale_shift = scale.shift;
  for (int i = 0; i < 3; ++i)
    shared.best[i] = rank_at(i) <= all.count ? postings::steps_up(scale, static_cast<scoring::PackedDeficit>(best[i]))
                                             : postings::kNoSteps;
}

__device__ void write(const Postings& all, const ListPiece& piece, Shared& shared, std::uint8_t* blob) {
  const std::uint32_t blocks = codec::blocks_of(all.count), docid_units = piece.code;
  const auto head = static_cast<std::uint32_t>(postings::kLongHeaderBytes);
  const std::uint32_t frequency_units = (piece.bytes - head - blocks * 5) / 16 - docid_units;
  std::uint8_t* const frequencies = blob + head + docid_units * 16;
  std::uint8_t* const ends = frequencies + frequency_units * 16;
  write_stream(all, docid_distances, docid_units, shared, blob + head);
  write_stream(all, frequency_distances, frequency_units, shared, frequencies);
  find_bounds(all, shared);
  __syncthreads();
  const postings::DeficitScale scale{static_cast<scoring::PackedDeficit>(shared.scale_min), shared.scale_shift};
  for (std::uint32_t block = threadIdx.x; block < blocks; block += kThreads) {
    reinterpret_cast<std::uint32_t*>(ends)[block] = all.docids[block * kBlock + size_of_block(all, block) - 1];
    ends[4 * blocks + block] = postings::steps_down(scale, static_cast<scoring::PackedDeficit>(shared.blocks[block]));
  }
  if (threadIdx.x == 0) {
    const std::uint64_t sizes = postings::sizes_word(all.count, docid_units, frequency_units, scale.shift);
    auto* const header = reinterpret_cast<std::uint32_t*>(blob);
    header[0] =
        postings::kLongMagic | std::uint32_t{kListCodec} << 8 | std::uint32_t{kListCodec} << 16 | shared.best[0] << 24;
    header[1] = shared.best[1] | shared.best[2] << 8 | shared.scale_min << 16;
    header[2] = static_cast<std::uint32_t>(sizes);
    header[3] = static_cast<std::uint32_t>(sizes >> 32);
  }
  __syncthreads();
}

// Mapping: a thread block a piece, a warp a block of 128. offsets: the sums of those before. Result: blobs; where the
// pieces begin. Shared memory: 21 KiB.
__global__ void __launch_bounds__(kThreads) write_long(ListWindow window, std::uint32_t grid) {
  __shared__ Shared shared;
  for (std::uint32_t i = blockIdx.x; i < window.counts->long_pieces; i += grid) {
    const std::uint32_t place = window.long_pieces[i];
    const ListPiece piece = window.pieces[place];
    write(postings_of(window, piece), piece, shared, window.blobs + window.offsets[place]);
    if (threadIdx.x == 0) window.pieces[place].begin = window.offsets[place];
  }
}

// One thread block for each processor that could have none to wait for, no more than there may be pieces.
std::uint32_t grid_of(const ListWindow& window, const KernelPlace& place) {
  return std::min(place.processors * 4, window.postings / kBlock);
}

}  // namespace

Result<void> code_lists(const ListWindow& window, const KernelPlace& place) {
  const std::uint32_t grid = grid_of(window, place);
  FROND_TRY(measure_short_pieces(window, place));
  FROND_TRY(device::launch("measure_long", measure_long, grid, kThreads, place.stream, window, grid));
  FROND_TRY(sum_before<std::uint32_t>(window.offsets, window.offsets, window.postings + 1, place));
  FROND_TRY(write_short_pieces(window, place));
  return device::launch("write_long", write_long, grid, kThreads, place.stream, window, grid);
}

}  // namespace frond::indexer::invert::gpu
