#include "indexer/invert/gpu/text/lists/list_coder.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/codec/binary_packing/simd_bp128.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"
#include "indexer/invert/gpu/text/device_parts.h"
#include "indexer/invert/gpu/text/lists/list_kernels.h"

namespace frond::indexer::invert::gpu {
namespace {

// The memory of a coder; without memory, counted.
struct CoderParts {
  std::uint32_t *lengths, *numbers, *frequencies, *starts;
  unsigned long long *digests, *hashes;
  ListWindow window;

  // gathered: postings, as many as those of a window or more.
  static CoderParts of(DeviceParts& parts, std::uint64_t documents, std::uint32_t postings, std::size_t gathered) {
    const std::size_t some = postings + std::size_t{1};
    CoderParts made{};
    made.lengths = parts.next<std::uint32_t>(documents);
    made.digests = parts.next<unsigned long long>(documents);
    made.numbers = parts.next<std::uint32_t>(gathered);
    made.frequencies = parts.next<std::uint32_t>(gathered);
    made.starts = parts.next<std::uint32_t>(some);
    made.hashes = parts.next<unsigned long long>(some);
    ListWindow& w = made.window;
    for (std::uint32_t** const array :
         {&w.ranks, &w.keys, &w.values, &w.other_keys, &w.other_values, &w.docids, &w.sums, &w.deficits, &w.list_begins,
          &w.list_terms, &w.list_partitions, &w.list_pieces, &w.long_pieces, &w.offsets})
      *array = parts.next<std::uint32_t>(some);
    w.marks = parts.next<std::uint64_t>(some);
    w.pieces = parts.next<ListPiece>(some);
    w.blobs = parts.next<std::uint8_t>(some * kMaxPostingBlobBytes);
    w.counts = parts.next<ListCounts>(1);
    return made;
  }
};

}  // namespace

bool ListCoder::fits(const DeviceText& text, std::uint64_t documents, std::uint32_t window_postings) {
  DeviceParts parts(nullptr);
  CoderParts::of(parts, documents, window_postings, window_postings);
  return window_postings < text.capacity().entries && parts.used() <= text.rest_bytes();
}

Result<std::unique_ptr<ListCoder>> ListCoder::create(DeviceText& text, const ListCoderSetup& setup) {
  const RestOfRun rest = FROND_TRY(text.rest());
  std::unique_ptr<ListCoder> made(new ListCoder(text, setup, rest));
  FROND_TRY(text.upload(bytes_of(const_cast<std::uint32_t*>(made->rules_.lengths)), bytes_of(setup.lengths.data()),
                        setup.lengths.size_bytes()));
  FROND_TRY(device::fill_with_zeros(bytes_of(made->rules_.digests), setup.lengths.size() * sizeof(std::uint64_t),
                                    rest.place.stream));
  return made;
}

ListCoder::ListCoder(DeviceText& text, const ListCoderSetup& setup, const RestOfRun& rest)
    : text_(text), rest_(rest), documents_(setup.lengths.size()) {
  FROND_CHECK(codec::simd_bp128().id() == kListCodec && fits(text, documents_, setup.window_postings));
  DeviceParts memory(rest.memory);
  {
    DeviceParts counted(nullptr);
    CoderParts::of(counted, documents_, setup.window_postings, 0);
    const std::uint64_t left = text.rest_bytes() - counted.used() - 2 * in_granules(1);
    gathered_most_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(
        setup.window_postings, std::min<std::uint64_t>(setup.gathered, left / 2 / sizeof(std::uint32_t))));
  }
  const CoderParts parts = CoderParts::of(memory, documents_, setup.window_postings, gathered_most_);
  window_ = parts.window;
  numbers_ = parts.numbers;
  frequencies_ = parts.frequencies;
  window_.starts = starts_ = parts.starts;
  window_.hashes = hashes_ = parts.hashes;
  rules_ = {setup.first_document, setup.partitions, setup.b, scoring::usable_length(setup.average_length),
            parts.lengths,        parts.digests};
}

Result<void> ListCoder::begin(std::uint32_t first, std::span<const std::uint32_t> starts,
                              std::span<const std::uint64_t> hashes) {
  FROND_CHECK(starts.size() == hashes.size() + 1);
  window_.postings = starts.back();
  window_.terms = static_cast<std::uint32_t>(hashes.size());
  FROND_TRY(text_.upload(bytes_of(starts_), bytes_of(starts.data()), starts.size_bytes()));
  FROND_TRY(text_.upload(bytes_of(hashes_), bytes_of(hashes.data()), hashes.size_bytes()));
  if (first < gathered_ || first + window_.postings > gathered_ + gathered_count_) {
    gathered_ = first;
    gathered_count_ = std::min(gathered_most_, rest_.postings - first);
    FROND_TRY(gather_postings(rest_.store, rest_.segments, rest_.offsets, gathered_, gathered_ + gathered_count_,
                              numbers_, frequencies_, rest_.place));
  }
  window_.numbers = numbers_ + (first - gathered_);
  window_.frequencies = frequencies_ + (first - gathered_);
  FROND_TRY(deal_lists(window_, rules_, rest_.place));
  return code_lists(window_, rest_.place);
}

Result<void> ListCoder::take(runs::CodedSlice& to) {
  ListCounts counts;
  FROND_TRY(text_.download(bytes_of(&counts), bytes_of(window_.counts), sizeof counts));
  to.count = counts.pieces;
  to.memory = std::make_unique_for_overwrite<ListPiece[]>(to.count);
  FROND_TRY(text_.download(bytes_of(to.memory.get()), bytes_of(window_.pieces), to.count * sizeof(ListPiece)));
  to.blob_bytes = counts.bytes;
  to.blobs = std::make_unique_for_overwrite<std::byte[]>(counts.bytes + codec::kReadSlack);
  std::fill_n(to.blobs.get() + counts.bytes, codec::kReadSlack, std::byte{0});
  return text_.download(to.blobs.get(), bytes_of(window_.blobs), counts.bytes);
}

Result<std::vector<std::uint64_t>> ListCoder::digests() {
  std::vector<std::uint64_t> all(documents_);
  FROND_TRY(text_.download(bytes_of(all.data()), bytes_of(rules_.digests), all.size() * sizeof(std::uint64_t)));
  return all;
}

}  // namespace frond::indexer::invert::gpu
