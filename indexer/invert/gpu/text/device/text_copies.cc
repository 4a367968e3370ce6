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

namespace {

// Twice as many as the last batch had, and a few, are copied without knowing how many there are.
std::size_t likely(std::size_t last, std::size_t most) { return std::min(most, std::max<std::size_t>(1024, 2 * last)); }

}  // namespace

TokenCopies::Parts TokenCopies::Parts::of(DeviceParts& pinned, std::uint32_t new_tokens, std::uint32_t chunks) {
  Parts parts;
  parts.max_keys = std::min<std::size_t>(new_tokens / 8, std::size_t{1} << 17);
  parts.max_chunks = std::min<std::size_t>(chunks / 8, std::size_t{1} << 16);
  for (TokenKey*& keys : parts.keys) keys = pinned.next<TokenKey>(parts.max_keys);
  for (HostChunk*& of_side : parts.chunks) of_side = pinned.next<HostChunk>(parts.max_chunks);
  parts.counts = pinned.next<TextCounts>(kSides);
  return parts;
}

Result<TokenCopies> TokenCopies::create() {
  auto stream = FROND_TRY(device::Stream::create());
  auto sought = FROND_TRY(device::Event::create());
  auto first = FROND_TRY(device::Event::create());
  auto second = FROND_TRY(device::Event::create());
  return TokenCopies(std::move(stream), std::move(sought), {std::move(first), std::move(second)});
}

void TokenCopies::use(const Parts& parts) {
  parts_ = parts;
  next_ = {parts.max_keys, parts.max_chunks};
}

Result<void> TokenCopies::begin(std::size_t side, const TextBatch& batch, device::StreamHandle work) {
  const device::StreamHandle stream = stream_.get();
  ahead_[side] = next_;
  FROND_TRY(sought_.record(work));
  FROND_TRY(sought_.make_wait(stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.counts + side), bytes_of(batch.counts), sizeof(TextCounts), stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.keys[side]), bytes_of(batch.new_keys), next_.keys * sizeof(TokenKey),
                                 stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.chunks[side]), bytes_of(batch.chunks),
                                 next_.chunks * sizeof(HostChunk), stream));
  return copied_[side].record(stream);
}

Result<BatchTokens> TokenCopies::end(std::size_t side, const TextBatch& batch, StagedCopies& stages) {
  FROND_TRY(copied_[side].wait());
  const TextCounts counts = parts_.counts[side];
  BatchTokens found{.entries = counts.entries,
                    .too_many_chunks = counts.chunks > batch.max_chunks,
                    .turned_away = counts.turned_away};
  const std::size_t keys = counts.tokens - batch.first_new;
  if (keys <= ahead_[side].keys) {
    found.new_keys = {parts_.keys[side], keys};
  } else {
    std::vector<TokenKey>& many = many_keys_[side];
    many.resize(keys);
    FROND_TRY(stages.download(bytes_of(many.data()), bytes_of(batch.new_keys), keys * sizeof(TokenKey), stream_.get()));
    found.new_keys = many;
  }
  const std::size_t chunks = std::min(counts.chunks, batch.max_chunks);
  if (chunks <= ahead_[side].chunks) {
    found.chunks.assign(parts_.chunks[side], parts_.chunks[side] + chunks);
  } else {
    found.chunks.resize(chunks);
    FROND_TRY(stages.download(bytes_of(found.chunks.data()), bytes_of(batch.chunks), chunks * sizeof(HostChunk),
                              stream_.get()));
  }
  next_ = {likely(keys, parts_.max_keys), likely(chunks, parts_.max_chunks)};
  return found;
}

}  // namespace frond::indexer::invert::gpu
