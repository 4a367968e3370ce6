#include "indexer/invert/gpu/text/device/text_copies.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"

namespace frond::indexer::invert::gpu {

Result<TextPlaces> TextPlaces::create() {
  TextPlaces made(FROND_TRY(device::Stream::create()));
  for (std::size_t place = 0; place < kTextPlaces; ++place) {
    made.sent_.push_back(FROND_TRY(device::Event::create()));
    made.used_.push_back(FROND_TRY(device::Event::create()));
  }
  return made;
}

void TextPlaces::use(DeviceParts& pinned, DeviceParts& device, const TextCapacity& capacity) {
  capacity_ = capacity;
  for (SideParts& place : pinned_) place = SideParts::of(pinned, capacity);
  for (SideParts& place : device_) place = SideParts::of(device, capacity);
  for (const SideParts& place : pinned_) std::memset(place.text, 0, kTextSlack);
}

Result<TextPlace> TextPlaces::fill(std::size_t place) {
  FROND_TRY(sent_[place].wait());
  const SideParts& parts = pinned_[place];
  return TextPlace{{parts.text + kTextSlack, capacity_.text},
                   {parts.piece_begins, capacity_.pieces},
                   {parts.piece_numbers, capacity_.pieces}};
}

Result<void> TextPlaces::send(std::size_t place, std::uint32_t text_bytes, std::uint32_t pieces,
                              std::span<const TextRun> text) {
  FROND_CHECK(text_bytes <= capacity_.text && pieces <= capacity_.pieces);
  const SideParts &from = pinned_[place], &to = device_[place];
  text_bytes_[place] = text_bytes;
  pieces_[place] = pieces;
  constexpr std::size_t kZerosBehind = kTextSlack + kUnitBytes;
  std::memset(from.text + kTextSlack + text_bytes, 0, kZerosBehind);
  from.piece_begins[pieces] = text_bytes;
  const device::StreamHandle stream = copies_.get();
  if (text.empty()) {
    FROND_TRY(
        device::copy_to_device(bytes_of(to.text), bytes_of(from.text), kTextSlack + text_bytes + kZerosBehind, stream));
  } else {
    FROND_TRY(device::copy_to_device(bytes_of(to.text), bytes_of(from.text), kTextSlack, stream));
    for (const TextRun& run : text)
      FROND_TRY(device::copy_to_device(bytes_of(to.text + kTextSlack + run.to), bytes_of(run.from), run.bytes, stream));
    const std::size_t end = kTextSlack + text_bytes;
    FROND_TRY(device::copy_to_device(bytes_of(to.text + end), bytes_of(from.text + end), kZerosBehind, stream));
  }
  FROND_TRY(used_[place].make_wait(stream));
  FROND_TRY(device::copy_to_device(bytes_of(to.piece_begins), bytes_of(from.piece_begins),
                                   (pieces + std::size_t{1}) * 4, stream));
  FROND_TRY(device::copy_to_device(bytes_of(to.piece_numbers), bytes_of(from.piece_numbers), pieces * std::size_t{4},
                                   stream));
  return sent_[place].record(stream);
}

Result<void> TextPlaces::give(std::size_t place, TextBatch& batch, device::StreamHandle stream) const {
  batch.text = device_[place].text + kTextSlack;
  batch.piece_begins = device_[place].piece_begins;
  batch.piece_numbers = device_[place].piece_numbers;
  batch.text_bytes = text_bytes_[place];
  batch.piece_count = pieces_[place];
  return sent_[place].make_wait(stream);
}

Result<void> TextPlaces::wait() const {
  for (const device::Event& sent : sent_) FROND_TRY(sent.wait());
  return {};
}

Result<TokenCopies> TokenCopies::create() {
  auto first = FROND_TRY(device::Event::create());
  auto second = FROND_TRY(device::Event::create());
  return TokenCopies({std::move(first), std::move(second)});
}

Result<void> TokenCopies::begin(std::size_t side, const TextBatch& batch, device::StreamHandle work) {
  FROND_TRY(device::copy_to_host(bytes_of(counts_ + side), bytes_of(batch.counts), sizeof(TextCounts), work));
  return copied_[side].record(work);
}

Result<BatchTokens> TokenCopies::end(std::size_t side, const TextBatch& batch, StagedCopies& stages,
                                     device::StreamHandle work) {
  FROND_TRY(copied_[side].wait());
  const TextCounts counts = counts_[side];
  BatchTokens found{.entries = counts.entries,
                    .too_many_chunks = counts.chunks > batch.max_chunks,
                    .turned_away = counts.turned_away};
  found.new_keys.resize(counts.tokens - batch.first_new);
  found.chunks.resize(std::min(counts.chunks, batch.max_chunks));
  const auto download = [&](auto& to, const auto* from) -> Result<void> {
    if (to.empty()) return {};
    return stages.download(bytes_of(to.data()), bytes_of(from), to.size() * sizeof *from, work);
  };
  FROND_TRY(download(found.new_keys, batch.new_keys));
  FROND_TRY(download(found.chunks, batch.chunks));
  return found;
}

}  // namespace frond::indexer::invert::gpu
