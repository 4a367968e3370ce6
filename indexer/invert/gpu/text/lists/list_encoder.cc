#include "indexer/invert/gpu/text/lists/list_encoder.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/codec/binary_packing/simd_bp128.h"
#include "common/codec/list_codec.h"
#include "common/scoring/bm25.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/text/lists/list_kernels.h"

namespace frond::indexer::invert::gpu {

std::shared_ptr<std::byte> SliceRing::take(std::size_t bytes) {
  const std::size_t some = in_granules(bytes);
  const MutexLock lock(mutex_);
  std::size_t begin = 0;
  if (!parts_.empty()) {
    const std::size_t first = parts_.front().begin;
    begin = parts_.back().end;
    const bool behind = parts_.back().begin >= first;  // all parts are between `first` and `begin`
    if (behind && begin + some > memory_.size()) {
      if (some > first) return nullptr;
      begin = 0;
    } else if (!behind && begin + some > first) {
      return nullptr;
    }
  }
  if (begin + some > memory_.size()) return nullptr;
  parts_.push_back({begin, begin + some, false});
  return {memory_.data() + begin, [ring = shared_from_this(), begin](std::byte*) { ring->give_back(begin); }};
}

void SliceRing::give_back(std::size_t begin) {
  const MutexLock lock(mutex_);
  std::find_if(parts_.begin(), parts_.end(), [begin](const Part& part) { return part.begin == begin; })->free = true;
  while (!parts_.empty() && parts_.front().free) parts_.pop_front();
}

namespace {

// The memory of a coder; without memory, counted.
struct CoderParts {
  struct Output {
    ListPiece* pieces;
    std::uint8_t* blobs;
    ListCounts* counts;
  };
  std::uint32_t *lengths, *numbers, *frequencies, *starts;
  unsigned long long *digests, *hashes;
  ListWindow window;
  std::array<Output, ListEncoder::kWindows> outputs;

  // gathered: postings, as many as those of a window or more.
  static CoderParts of(DeviceParts& parts, std::uint64_t documents, std::uint64_t terms, std::uint32_t postings,
                       std::size_t gathered) {
    const std::size_t some = postings + std::size_t{1};
    CoderParts made{};
    made.lengths = parts.next<std::uint32_t>(documents);
    made.digests = parts.next<unsigned long long>(documents);
    made.numbers = parts.next<std::uint32_t>(gathered);
    made.frequencies = parts.next<std::uint32_t>(gathered);
    made.starts = parts.next<std::uint32_t>(terms + 1);
    made.hashes = parts.next<unsigned long long>(terms);
    ListWindow& w = made.window;
    for (std::uint32_t** const array :
         {&w.ranks, &w.keys, &w.values, &w.other_keys, &w.other_values, &w.docids, &w.sums, &w.deficits, &w.list_begins,
          &w.list_terms, &w.list_partitions, &w.list_pieces, &w.long_pieces, &w.offsets})
      *array = parts.next<std::uint32_t>(some);
    w.marks = parts.next<std::uint64_t>(some);
    for (Output& output : made.outputs) {
      output.pieces = parts.next<ListPiece>(some);
      output.blobs = parts.next<std::uint8_t>(some * kMaxPostingBlobBytes);
      output.counts = parts.next<ListCounts>(1);
    }
    return made;
  }
};

}  // namespace

bool ListEncoder::fits(const DeviceText& text, std::uint64_t documents, std::uint64_t terms,
                       std::uint32_t window_postings) {
  DeviceParts parts(nullptr);
  CoderParts::of(parts, documents, terms, window_postings, window_postings);
  return window_postings < text.capacity().entries && parts.used() <= text.rest_bytes();
}

Result<std::unique_ptr<ListEncoder>> ListEncoder::create(std::shared_ptr<DeviceText> text,
                                                         const ListEncoderSetup& setup) {
  const RestOfRun rest = FROND_TRY(text->rest());
  auto first = FROND_TRY(device::Event::create());
  auto second = FROND_TRY(device::Event::create());
  auto copied = FROND_TRY(device::Event::create());
  std::array<Output, kWindows> outputs{{{std::move(first)}, {std::move(second)}}};
  std::unique_ptr<ListEncoder> made(
      new ListEncoder(std::move(text), setup, rest, std::move(outputs), std::move(copied)));
  FROND_TRY(made->upload(setup));
  return made;
}

ListEncoder::ListEncoder(std::shared_ptr<DeviceText> text, const ListEncoderSetup& setup, const RestOfRun& rest,
                         std::array<Output, kWindows> outputs, device::Event copied)
    : text_(std::move(text)),
      rest_(rest),
      documents_(setup.lengths.size()),
      starts_(setup.starts),
      outputs_(std::move(outputs)),
      copied_(std::move(copied)) {
  const std::size_t terms = setup.hashes.size();
  FROND_CHECK(starts_.size() == terms + 1 && codec::simd_bp128().id() == kListCodec &&
              fits(*text_, documents_, terms, setup.window_postings));
  DeviceParts memory(rest.memory);
  {
    DeviceParts counted(nullptr);
    CoderParts::of(counted, documents_, terms, setup.window_postings, 0);
    const std::uint64_t left = text_->rest_bytes() - counted.used() - 2 * in_granules(1);
    gathered_most_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(
        setup.window_postings, std::min<std::uint64_t>(setup.gathered, left / 2 / sizeof(std::uint32_t))));
  }
  const CoderParts parts = CoderParts::of(memory, documents_, terms, setup.window_postings, gathered_most_);
  window_ = parts.window;
  numbers_ = parts.numbers;
  frequencies_ = parts.frequencies;
  device_starts_ = parts.starts;
  hashes_ = parts.hashes;
  rules_ = {setup.first_document, setup.partitions, setup.b, scoring::usable_length(setup.average_length),
            parts.lengths,        parts.digests};
  DeviceParts pinned(rest.pinned.data());
  for (std::size_t i = 0; i < kWindows; ++i) {
    outputs_[i].pieces = parts.outputs[i].pieces;
    outputs_[i].blobs = parts.outputs[i].blobs;
    outputs_[i].counts = parts.outputs[i].counts;
    outputs_[i].host_counts = pinned.next<ListCounts>(1);
  }
  FROND_CHECK(pinned.used() <= rest.pinned.size());
  ring_ = std::make_shared<SliceRing>(rest.pinned.subspan(pinned.used()), text_);
}

Result<void> ListEncoder::upload(const ListEncoderSetup& setup) {
  const auto all = [this](auto* to, const auto& from) {
    return text_->upload(bytes_of(to), bytes_of(from.data()), from.size_bytes());
  };
  FROND_TRY(all(const_cast<std::uint32_t*>(rules_.lengths), setup.lengths));
  FROND_TRY(all(device_starts_, setup.starts));
  FROND_TRY(all(hashes_, setup.hashes));
  return device::fill_with_zeros(bytes_of(rules_.digests), documents_ * sizeof(std::uint64_t), rest_.place.stream);
}

// Has the postings from `first` on in numbers_ and frequencies_.
Result<void> ListEncoder::gather(std::uint32_t first, std::uint32_t postings) {
  if (first >= gathered_ && first + postings <= gathered_ + gathered_count_) return {};
  gathered_ = first;
  gathered_count_ = std::min(gathered_most_, rest_.postings - first);
  return gather_postings(rest_.store, rest_.segments, rest_.offsets, gathered_, gathered_ + gathered_count_, numbers_,
                         frequencies_, rest_.place);
}

Result<void> ListEncoder::begin(std::size_t first, std::size_t end) {
  FROND_CHECK(begun_ - taken_ < kWindows && first < end && end < starts_.size());
  Output& output = outputs_[begun_++ % kWindows];
  output.first = first;
  output.end = end;
  window_.first = starts_[first];
  window_.postings = starts_[end] - starts_[first];
  window_.terms = static_cast<std::uint32_t>(end - first);
  FROND_TRY(gather(window_.first, window_.postings));
  window_.numbers = numbers_ + (window_.first - gathered_);
  window_.frequencies = frequencies_ + (window_.first - gathered_);
  window_.starts = device_starts_ + first;
  window_.hashes = hashes_ + first;
  window_.pieces = output.pieces;
  window_.blobs = output.blobs;
  window_.counts = output.counts;
  FROND_TRY(split_lists(window_, rules_, rest_.place));
  FROND_TRY(code_lists(window_, rest_.place));
  FROND_TRY(device::copy_to_host(bytes_of(output.host_counts), bytes_of(output.counts), sizeof(ListCounts),
                                 rest_.place.stream));
  return output.encoded.record(rest_.place.stream);
}

Result<std::shared_ptr<const runs::EncodedSlice>> ListEncoder::take() {
  FROND_CHECK(taken_ < begun_);
  const Output& output = outputs_[taken_++ % kWindows];
  FROND_TRY(output.encoded.wait());
  const ListCounts counts = *output.host_counts;
  const std::size_t piece_bytes = counts.pieces * sizeof(ListPiece);
  const std::size_t blobs_at = in_granules(piece_bytes), bytes = blobs_at + counts.bytes + codec::kReadSlack;
  std::shared_ptr<std::byte> memory = ring_->take(bytes);
  if (memory) {
    FROND_TRY(device::copy_to_host(memory.get(), bytes_of(output.pieces), piece_bytes, rest_.copies));
    FROND_TRY(device::copy_to_host(memory.get() + blobs_at, bytes_of(output.blobs), counts.bytes, rest_.copies));
    FROND_TRY(copied_.record(rest_.copies));
    FROND_TRY(copied_.wait());
  } else {  // behind the next window, which is begun already
    memory = {new std::byte[bytes], std::default_delete<std::byte[]>()};
    FROND_TRY(text_->download(memory.get(), bytes_of(output.pieces), piece_bytes));
    FROND_TRY(text_->download(memory.get() + blobs_at, bytes_of(output.blobs), counts.bytes));
  }
  std::fill_n(memory.get() + blobs_at + counts.bytes, codec::kReadSlack, std::byte{0});
  auto slice = std::make_shared<runs::EncodedSlice>();
  slice->first = output.first;
  slice->end = output.end;
  slice->pieces = {reinterpret_cast<const ListPiece*>(memory.get()), counts.pieces};
  slice->blobs = {memory.get() + blobs_at, counts.bytes};
  slice->memory = std::move(memory);
  return std::shared_ptr<const runs::EncodedSlice>(std::move(slice));
}

Result<std::vector<std::uint64_t>> ListEncoder::digests() {
  std::vector<std::uint64_t> all(documents_);
  FROND_TRY(text_->download(bytes_of(all.data()), bytes_of(rules_.digests), all.size() * sizeof(std::uint64_t)));
  return all;
}

}  // namespace frond::indexer::invert::gpu
