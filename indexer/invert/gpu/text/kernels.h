#pragma once
// The kernels of the inverter of texts. Asynchronous; the caller makes sure that all arrays are large enough. Where the
// host does not know a count yet, `bound` is the most that it may be. Errors: kDevice.
#include <cstddef>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/text_on_device.h"

namespace frond::indexer::invert::gpu {

// Where kernels run.
struct KernelPlace {
  std::uint32_t processors = 1;
  std::byte* space = nullptr;  // of CUB: kernel_space() bytes, for count_pairs() alone count_space()
  std::size_t space_bytes = 0;
  device::StreamHandle stream = nullptr;
};

// Finds the entries of the batch: starts, counts->entries. Sets all counts before.
Result<void> cut_text(const TextBatch& batch, const KernelPlace& place);
// Finds the tokens of entries, adds those that are not in the dictionary, and tells them, and the host's chunks.
Result<void> find_tokens(const TextBatch& batch, const TokenDictionary& dictionary, const KernelPlace& place);

// From here on the host knows the number of entries, and has answered.
// How many pairs each entry has, counts->pairs, and the lengths of pieces.
Result<void> count_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                         const KernelPlace& place);
// After it: pairs in text order.
Result<void> fill_pairs(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t entries,
                        const TermPairs& pairs, const KernelPlace& place);

// Pairs sorted by term, in text order among those of one term. Terms are less than 2^bits. Uses both arrays; returns
// the one that has the result.
Result<TermPairs> sort_pairs(const TermPairs& pairs, const TermPairs& other, std::uint32_t count, int bits,
                             const KernelPlace& place);
// Appends the postings of sorted pairs to the store, of which so many parts are used. `places`: memory of a u64 and
// `heads` of a u32 for each pair and one more. counts->postings, counts->segments.
Result<void> make_postings(const TextBatch& batch, const TermPairs& pairs, std::uint32_t count, std::uint64_t* places,
                           std::uint32_t* heads, const PostingStore& store, std::uint32_t used_postings,
                           std::uint32_t used_segments, const KernelPlace& place);

// Of the postings of a run in the order of terms, those at [begin, end) to numbers and frequencies. offsets: by term,
// where its postings begin.
Result<void> gather_postings(const PostingStore& store, std::uint32_t segments, const std::uint32_t* offsets,
                             std::uint32_t begin, std::uint32_t end, std::uint32_t* numbers, std::uint32_t* frequencies,
                             const KernelPlace& place);

// Bytes of temporary memory for texts of so many bytes.
Result<std::size_t> kernel_space(std::uint32_t text_bytes);
Result<std::size_t> count_space(std::uint32_t text_bytes);

}  // namespace frond::indexer::invert::gpu
