// Postings of a window to lists. They are in the order of terms, then documents; sorted by partition, which keeps that
// order, each partition's lists stand one behind the other.
#include <bit>

#include "common/postings/posting_list.h"
#include "common/scoring/bm25.h"
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/lists/list_kernels.h"

namespace frond::indexer::invert::gpu {
namespace {

// Marks are counted in two halves of a u64: postings in the low one, lists in the high one.
constexpr std::uint64_t kOnePosting = 1, kOneList = std::uint64_t{1} << 32;

// Mapping: a thread a posting. Result: ranks; keys, the partitions; values, the postings. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    name_postings(ListWindow window, ListRules rules, std::uint32_t threads) {
  for (std::uint32_t i = first_of_thread(); i < window.postings; i += threads) {
    window.ranks[i] = part_at(window.starts, window.terms, window.first + i);
    window.keys[i] = static_cast<std::uint32_t>((rules.first_document + window.numbers[i]) % rules.partitions);
    window.values[i] = i;
  }
}

// Mapping: a thread a place, and one more. Result: what begins at each place; 0 behind the last. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) mark_lists(ListWindow window, std::uint32_t threads) {
  for (std::uint32_t at = first_of_thread(); at <= window.postings; at += threads) {
    std::uint64_t mark = 0;
    if (at < window.postings) {
      const std::uint32_t i = window.values[at], before = at > 0 ? window.values[at - 1] : 0;
      const bool list = at == 0 || window.keys[at] != window.keys[at - 1] || window.ranks[i] != window.ranks[before];
      mark = list ? kOneList + kOnePosting : window.numbers[i] != window.numbers[before] ? kOnePosting : 0;
    }
    window.marks[at] = mark;
  }
}

// Mapping: a thread a place, and one more. marks: the sums of those before. Result: docids, sums, deficits, digests;
// lists; counts->postings, lists. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) place_lists(ListWindow window, ListRules rules, std::uint32_t threads) {
  for (std::uint32_t at = first_of_thread(); at <= window.postings; at += threads) {
    const auto posting = static_cast<std::uint32_t>(window.marks[at]);
    const auto list = static_cast<std::uint32_t>(window.marks[at] >> 32);
    if (at == window.postings) {
      window.list_begins[list] = posting;
      window.counts->postings = posting;
      window.counts->lists = list;
      window.counts->long_pieces = 0;
      continue;
    }
    const std::uint64_t mark = window.marks[at + 1] - window.marks[at];
    if (mark == 0) continue;
    const std::uint32_t i = window.values[at], number = window.numbers[i];
    Frequency sum = window.frequencies[i];
    for (std::uint32_t next = at + 1; next < window.postings && window.marks[next + 1] == window.marks[next]; ++next)
      sum += window.frequencies[window.values[next]];
    window.docids[posting] = static_cast<DocId>((rules.first_document + number) / rules.partitions);
    window.sums[posting] = sum;
    window.deficits[posting] = scoring::deficit_bits(rules.b, rules.usable_length, sum, rules.lengths[number]);
    atomicAdd(rules.digests + number, sum * window.hashes[window.ranks[i]]);
    if (mark < kOneList) continue;
    window.list_begins[list] = posting;
    window.list_terms[list] = window.ranks[i];
    window.list_partitions[list] = window.keys[at];
  }
}

__device__ std::uint32_t pieces_of(const ListWindow& window, std::uint32_t list) {
  const std::uint32_t count = window.list_begins[list + 1] - window.list_begins[list];
  return (count + postings::kSegmentPostings - 1) / postings::kSegmentPostings;
}

// Mapping: a thread a list, as many as there may be, and one more. Result: list_pieces, 0 where there is no list.
// Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) count_pieces(ListWindow window, std::uint32_t threads) {
  const std::uint32_t lists = window.counts->lists;
  for (std::uint32_t list = first_of_thread(); list <= window.postings; list += threads)
    window.list_pieces[list] = list < lists ? pieces_of(window, list) : 0;
}

// Mapping: a thread a list. list_pieces: the sums of those before. Result: pieces, counts->pieces. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads) cut_pieces(ListWindow window, std::uint32_t threads) {
  const std::uint32_t lists = window.counts->lists;
  for (std::uint32_t list = first_of_thread(); list < lists; list += threads) {
    const std::uint32_t first = window.list_pieces[list], end = window.list_pieces[list + 1];
    for (std::uint32_t piece = first; piece < end; ++piece) {
      ListPiece made{};
      made.term = window.list_terms[list];
      made.partition = static_cast<std::uint16_t>(window.list_partitions[list]);
      made.last = piece + 1 == end ? 1 : 0;
      made.begin = window.list_begins[list] + (piece - first) * postings::kSegmentPostings;
      made.count = min(window.list_begins[list + 1] - made.begin, std::uint32_t{postings::kSegmentPostings});
      window.pieces[piece] = made;
      if (made.count >= codec::kBlockLength) window.long_pieces[atomicAdd(&window.counts->long_pieces, 1u)] = piece;
    }
    if (list == 0) window.counts->pieces = window.list_pieces[lists];
  }
}

}  // namespace

Result<void> split_lists(const ListWindow& window, const ListRules& rules, const KernelPlace& place) {
  ListWindow w = window;
  FROND_TRY(launch_grid("name_postings", name_postings, w.postings, place, w, rules));
  if (rules.partitions > 1) {
    const TermPairs sorted = FROND_TRY(sort_pairs({w.keys, w.values}, {w.other_keys, w.other_values}, w.postings,
                                                  std::bit_width(rules.partitions - 1), place));
    w.keys = sorted.terms;
    w.values = sorted.pieces;
  }
  FROND_TRY(launch_grid("mark_lists", mark_lists, w.postings + 1, place, w));
  FROND_TRY(sum_before<std::uint64_t>(w.marks, w.marks, w.postings + 1, place));
  FROND_TRY(launch_grid("place_lists", place_lists, w.postings + 1, place, w, rules));
  FROND_TRY(launch_grid("count_pieces", count_pieces, w.postings + 1, place, w));
  FROND_TRY(sum_before<std::uint32_t>(w.list_pieces, w.list_pieces, w.postings + 1, place));
  return launch_grid("cut_pieces", cut_pieces, w.postings, place, w);
}

}  // namespace frond::indexer::invert::gpu
