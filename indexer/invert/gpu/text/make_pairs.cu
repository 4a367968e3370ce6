// Terms of entries, in text order, without stop words, each with its piece.
#include "indexer/invert/gpu/text/grid.cuh"
#include "indexer/invert/gpu/text/scan.cuh"

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

Result<std::size_t> count_space(std::uint32_t text_bytes) {
  return sum_space<std::uint32_t>(max_entries(text_bytes) + 1);
}

}  // namespace frond::indexer::invert::gpu
