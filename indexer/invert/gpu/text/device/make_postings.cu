// Pairs of term and piece of a batch, in text order, without stop words; and their postings.
#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

#include "common/device/warp.cuh"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/device/kernels.h"

namespace frond::indexer::invert::gpu {

namespace {

__device__ std::uint32_t pairs_of(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t token) {
  if (token == kNoToken) return 0;
  if ((token & kChunkBit) == 0) return dictionary.terms[token] == kDroppedTerm ? 0 : 1;
  const std::uint32_t chunk = token & ~kChunkBit;
  return batch.chunk_places[chunk + 1] - batch.chunk_places[chunk];
}

// Mapping: a thread an entry, and one more. Result: pair_counts, 0 behind the last. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    count_of_entries(TextBatch batch, TokenDictionary dictionary, std::uint32_t entries, std::uint32_t threads) {
  for (std::uint32_t entry = first_of_thread(); entry <= entries; entry += threads)
    batch.pair_counts[entry] = entry < entries ? pairs_of(batch, dictionary, batch.tokens[entry]) : 0;
}

// Mapping: a thread an entry. Result: pairs. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    fill(TextBatch batch, TokenDictionary dictionary, std::uint32_t entries, TermPairs pairs, std::uint32_t threads) {
  for (std::uint32_t entry = first_of_thread(); entry < entries; entry += threads) {
    const std::uint32_t place = batch.pair_places[entry], count = batch.pair_counts[entry];
    if (count == 0) continue;
    const std::uint32_t token = batch.tokens[entry],
                        piece = part_at(batch.piece_begins, batch.piece_count, batch.starts[entry]);
    if ((token & kChunkBit) == 0) {
      pairs.terms[place] = dictionary.terms[token];
      pairs.pieces[place] = piece;
      continue;
    }
    const std::uint32_t first = batch.chunk_places[token & ~kChunkBit];
    for (std::uint32_t i = 0; i < count; ++i) {
      pairs.terms[place + i] = batch.chunk_terms[first + i];
      pairs.pieces[place + i] = piece;
    }
  }
}

// The first entry at or behind a place of the text.
__device__ std::uint32_t entry_at(const TextBatch& batch, std::uint32_t entries, std::uint32_t place) {
  std::uint32_t low = 0, high = entries;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (batch.starts[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Mapping: a thread a piece. Result: lengths, counts->pairs. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    measure_pieces(TextBatch batch, std::uint32_t entries, std::uint32_t threads) {
  for (std::uint32_t piece = first_of_thread(); piece < batch.piece_count; piece += threads) {
    const std::uint32_t begin = entry_at(batch, entries, batch.piece_begins[piece]);
    const std::uint32_t end = entry_at(batch, entries, batch.piece_begins[piece + 1]);
    batch.lengths[piece] = batch.pair_places[end] - batch.pair_places[begin];
    if (piece == 0) batch.counts->pairs = batch.pair_places[entries];
  }
}

}  // namespace

Result<void> count_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                         const KernelPlace& place) {
  FROND_TRY(launch_grid("count_of_entries", count_of_entries, entries + 1, place, batch, dictionary, entries));
  FROND_TRY(sum_before(batch.pair_counts, batch.pair_places, entries + 1, place));
  return launch_grid("measure_pieces", measure_pieces, batch.piece_count, place, batch, entries);
}

Result<void> fill_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                        const TermPairs& pairs, const KernelPlace& place) {
  return launch_grid("fill", fill, entries, place, batch, dictionary, entries, pairs);
}

// Sorted pairs to postings: equal pairs are one, with their number as its frequency; and those of all batches of a run
// to the order of the terms.

namespace {

// Places are counted in two halves of a u64: postings in the low one, segments in the high one.
constexpr std::uint64_t kOnePosting = 1, kOneSegment = std::uint64_t{1} << 32;

// Mapping: a thread a pair, and one more. Result: what begins at each pair; 0 behind the last. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    mark_heads(TermPairs pairs, std::uint32_t count, std::uint64_t* marks, std::uint32_t threads) {
  for (std::uint32_t i = first_of_thread(); i <= count; i += threads) {
    std::uint64_t mark = 0;
    if (i < count) {
      const bool term = i == 0 || pairs.terms[i] != pairs.terms[i - 1];
      mark = term ? kOneSegment + kOnePosting : pairs.pieces[i] != pairs.pieces[i - 1] ? kOnePosting : 0;
    }
    marks[i] = mark;
  }
}

// Mapping: a thread a pair, and one more. `places`: the sums of the marks before. Result: numbers, segments without
// counts, and the pair at which each posting begins. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    place_postings(TextBatch batch, TermPairs pairs, std::uint32_t count, const std::uint64_t* places,
                   std::uint32_t* heads, PostingStore store, std::uint32_t used_postings, std::uint32_t used_segments,
                   std::uint32_t threads) {
  for (std::uint32_t i = first_of_thread(); i <= count; i += threads) {
    const auto posting = static_cast<std::uint32_t>(places[i]), segment = static_cast<std::uint32_t>(places[i] >> 32);
    if (i == count) {
      heads[posting] = count;
      batch.counts->postings = posting;
      batch.counts->segments = segment;
      continue;
    }
    const std::uint64_t mark = places[i + 1] - places[i];
    if (mark == 0) continue;
    heads[posting] = i;
    store.numbers[used_postings + posting] = batch.piece_numbers[pairs.pieces[i]];
    if (mark >= kOneSegment) store.segments[used_segments + segment] = {pairs.terms[i], used_postings + posting, 0, 0};
  }
}

// Mapping: a thread a posting, and a segment. Result: frequencies; the segments' counts, and the terms' totals. Shared
// memory: none.
__global__ void __launch_bounds__(kGridThreads)
    count_postings(TextBatch batch, const std::uint32_t* heads, PostingStore store, std::uint32_t used_postings,
                   std::uint32_t used_segments, std::uint32_t threads) {
  const std::uint32_t postings = batch.counts->postings, segments = batch.counts->segments;
  for (std::uint32_t i = first_of_thread(); i < postings; i += threads) {
    store.frequencies[used_postings + i] = heads[i + 1] - heads[i];
    if (i >= segments) continue;
    PostingSegment& segment = store.segments[used_segments + i];
    const std::uint32_t end = i + 1 < segments ? store.segments[used_segments + i + 1].begin : used_postings + postings;
    segment.count = end - segment.begin;
    segment.first = store.totals[segment.term];
    store.totals[segment.term] = segment.first + segment.count;
  }
}

// Mapping: a thread a segment, each of another term. Result: the segments, and the terms' totals. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    adopt(PostingStore store, std::uint32_t first, std::uint32_t count, std::uint32_t postings, std::uint32_t threads) {
  for (std::uint32_t i = first_of_thread(); i < count; i += threads) {
    PostingSegment& segment = store.segments[first + i];
    segment.begin += postings;
    segment.first = store.totals[segment.term];
    store.totals[segment.term] = segment.first + segment.count;
  }
}

// Mapping: a warp a segment. Result: numbers and frequencies. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    gather(PostingStore store, std::uint32_t segments, const std::uint32_t* offsets, std::uint32_t begin,
           std::uint32_t end, std::uint32_t* numbers, std::uint32_t* frequencies, std::uint32_t threads) {
  const std::uint32_t lane = device::lane_of_warp();
  for (std::uint32_t s = first_of_thread() / 32; s < segments; s += threads / 32) {
    const PostingSegment segment = store.segments[s];
    const std::uint32_t to = offsets[segment.term] + segment.first;
    if (to >= end || to + segment.count <= begin) continue;
    const std::uint32_t first = to < begin ? begin - to : 0, last = min(segment.count, end - to);
    for (std::uint32_t i = first + lane; i < last; i += 32) {
      numbers[to + i - begin] = store.numbers[segment.begin + i];
      frequencies[to + i - begin] = store.frequencies[segment.begin + i];
    }
  }
}

}  // namespace

Result<TermPairs> sort_pairs(const TermPairs& pairs, const TermPairs& other, std::uint32_t count, int bits,
                             const KernelPlace& place) {
  if (count == 0) return pairs;
  cub::DoubleBuffer<std::uint32_t> terms(pairs.terms, other.terms), pieces(pairs.pieces, other.pieces);
  std::size_t bytes = place.space_bytes;
  FROND_TRY(device::status_of(cub::DeviceRadixSort::SortPairs(place.space, bytes, terms, pieces,
                                                              static_cast<int>(count), 0, bits, place.stream),
                              "sorting"));
  return TermPairs{terms.Current(), pieces.Current()};
}

Result<void> make_postings(const TextBatch& batch, const TermPairs& pairs, std::uint32_t count, std::uint64_t* places,
                           std::uint32_t* heads, const PostingStore& store, std::uint32_t used_postings,
                           std::uint32_t used_segments, const KernelPlace& place) {
  FROND_TRY(launch_grid("mark_heads", mark_heads, count + 1, place, pairs, count, places));
  FROND_TRY(sum_before<std::uint64_t>(places, places, count + 1, place));
  FROND_TRY(launch_grid("place_postings", place_postings, count + 1, place, batch, pairs, count, places, heads, store,
                        used_postings, used_segments));
  return launch_grid("count_postings", count_postings, count, place, batch, heads, store, used_postings, used_segments);
}

Result<void> adopt_segments(const PostingStore& store, std::uint32_t first, std::uint32_t count, std::uint32_t postings,
                            const KernelPlace& place) {
  return launch_grid("adopt", adopt, count, place, store, first, count, postings);
}

Result<void> gather_postings(const PostingStore& store, std::uint32_t segments, const std::uint32_t* offsets,
                             std::uint32_t begin, std::uint32_t end, std::uint32_t* numbers, std::uint32_t* frequencies,
                             const KernelPlace& place) {
  const std::uint32_t threads = std::min(segments, 0xffffffffu / 32) * 32;
  return launch_grid("gather", gather, threads, place, store, segments, offsets, begin, end, numbers, frequencies);
}

Result<std::size_t> kernel_space(std::uint32_t text_bytes) {
  const std::uint32_t most = max_entries(text_bytes) + 1;
  cub::DoubleBuffer<std::uint32_t> terms(nullptr, nullptr), pieces(nullptr, nullptr);
  std::size_t sort = 0;
  FROND_TRY(device::status_of(
      cub::DeviceRadixSort::SortPairs(nullptr, sort, terms, pieces, static_cast<int>(most), 0, 32, cudaStream_t{}),
      "kernel_space"));
  const std::size_t sum = FROND_TRY(sum_space<std::uint32_t>(most));
  const std::size_t long_sum = FROND_TRY(sum_space<std::uint64_t>(most));
  return std::max({sort, sum, long_sum});
}

}  // namespace frond::indexer::invert::gpu
