// Pieces of fewer than 128 postings to blobs, the same bytes as postings::encode_short()'s (docs/formats/list-blob.md).
// A warp codes a piece: sizes first, so that it is known where each blob goes, then the bytes.
#include "common/postings/short_code.h"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/lists/list_kernels.h"
#include "indexer/invert/gpu/text/lists/piece_code.cuh"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::uint32_t kWarps = kGridThreads / 32;
constexpr std::uint32_t kWords = 272;  // of a warp: 127 times 66 bits and a header

std::uint32_t threads_of(const ListWindow& window) { return std::min(window.postings, 0xffffffffu / 32) * 32; }

__device__ void measure(const Postings& all, ListPiece& piece, std::uint32_t lane) {
  const std::uint8_t deficit = postings::deficit_to_byte(scoring::pack_deficit_bits(least_deficit(all, 0, lane)));
  if (all.count == 1) {
    piece.code = deficit;
    piece.bytes = postings::single_blob(all.docids[0], all.frequencies[0], deficit).size;
    return;
  }
  const RiceCode docids = choose_rice(docid_distances(all, 0, lane), all.count);
  const RiceCode frequencies = choose_rice(frequency_distances(all, 0, lane), all.count);
  piece.code = deficit | docids.parameter << 8 | frequencies.parameter << 16;
  piece.bytes = postings::short_header(all.count, deficit, docids.parameter, frequencies.parameter).size +
                static_cast<std::uint32_t>((docids.bits + frequencies.bits + 7) / 8);
}

// Mapping: a warp a piece. Result: the pieces' bytes, codes and occurrences; offsets: bytes, 0 where there is no piece.
// Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) measure_short(ListWindow window, std::uint32_t threads) {
  const std::uint32_t lane = device::lane_of_warp(), pieces = window.counts->pieces;
  for (std::uint32_t p = first_of_thread() / 32; p < pieces; p += threads / 32) {
    ListPiece piece = window.pieces[p];
    if (piece.count >= kBlock) continue;
    const Postings all = postings_of(window, piece);
    unsigned long long own = 0;
    for (std::uint32_t at = lane; at < all.count; at += 32) own += all.frequencies[at];
    piece.occurrences = warp_sum(own);
    measure(all, piece, lane);
    if (lane == 0) note_size(window, p, piece);
  }
  for (std::uint32_t p = pieces + first_of_thread(); p <= window.postings; p += threads) window.offsets[p] = 0;
}

__device__ void write(const Postings& all, const ListPiece& piece, std::uint32_t* words, std::uint8_t* blob,
                      std::uint32_t lane) {
  clear_words(words, kWords, lane);
  const auto deficit = static_cast<std::uint8_t>(piece.code);
  const std::uint32_t docid_rice = piece.code >> 8 & 0xff, frequency_rice = piece.code >> 16;
  const postings::ShortBytes header = all.count == 1
                                          ? postings::single_blob(all.docids[0], all.frequencies[0], deficit)
                                          : postings::short_header(all.count, deficit, docid_rice, frequency_rice);
  for (std::uint32_t i = lane; i < header.size; i += 32) put_bits(words, 8 * i, header.at[i], 8);
  if (all.count > 1) {
    const Four docids = docid_distances(all, 0, lane), frequencies = frequency_distances(all, 0, lane);
    const std::uint32_t begin = 8 * header.size;
    const auto bits = static_cast<std::uint32_t>(rice_bits(docids, all.count, docid_rice));
    put_rice(words, begin, docids, all.count, docid_rice, lane);
    put_rice(words, begin + bits, frequencies, all.count, frequency_rice, lane);
  }
  copy_words(words, piece.bytes, reinterpret_cast<std::uint32_t*>(blob), lane);
}

// Mapping: a warp a piece. offsets: the sums of those before. Result: blobs; where the pieces begin; counts->bytes.
// Shared memory: 9 KiB, words of each warp.
__global__ void __launch_bounds__(kGridThreads) write_short(ListWindow window, std::uint32_t threads) {
  __shared__ std::uint32_t words[kWarps][kWords];
  const std::uint32_t lane = device::lane_of_warp(), warp = threadIdx.x / 32, pieces = window.counts->pieces;
  for (std::uint32_t p = first_of_thread() / 32; p < pieces; p += threads / 32) {
    const ListPiece piece = window.pieces[p];
    if (piece.count >= kBlock) continue;
    write(postings_of(window, piece), piece, words[warp], window.blobs + window.offsets[p], lane);
    if (lane == 0) window.pieces[p].begin = window.offsets[p];
  }
  if (first_of_thread() == 0) window.counts->bytes = window.offsets[pieces];
}

}  // namespace

Result<void> measure_short_pieces(const ListWindow& window, const KernelPlace& place) {
  return launch_grid("measure_short", measure_short, threads_of(window), place, window);
}

Result<void> write_short_pieces(const ListWindow& window, const KernelPlace& place) {
  return launch_grid("write_short", write_short, threads_of(window), place, window);
}

}  // namespace frond::indexer::invert::gpu
