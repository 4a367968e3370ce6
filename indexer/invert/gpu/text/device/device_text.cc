#include "indexer/invert/gpu/text/device/device_text.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/text/device/device_text_memory.h"
#include "indexer/invert/gpu/text/device/run_on_device.h"

namespace frond::indexer::invert::gpu {
std::uint64_t DeviceText::pinned_bytes(const TextCapacity& capacity) {
  DeviceParts parts(nullptr);
  for (std::size_t place = 0; place < kPlaces; ++place) SideParts::of(parts, capacity);
  parts.next<std::uint32_t>(capacity.pieces);
  parts.next<TextCounts>(kSides);
  parts.next<TextCounts>(2);
  parts.next<std::byte>(StagedCopies::kStages * StagedCopies::kStageBytes);
  return parts.used();
}

struct DeviceText::Parts {
  device::Stream work;
  device::Memory memory, pinned;
  TextPlaces places;
  StagedCopies stages;
  TokenCopies found;
  RunOnDevice run;
  device::Event counted;  // pairs are, and that is known to the host

  // Of pinned memory.
  std::byte* behind_places = nullptr;
  std::uint32_t* lengths = nullptr;
  TextCounts* paired = nullptr;
};

Result<std::unique_ptr<DeviceText>> DeviceText::create(const TextSetup& setup) {
  FROND_TRY(device::use(setup.device));
  const auto properties = FROND_TRY(device::properties_of(setup.device));
  const std::size_t most = std::size_t{1} << 30;
  // CUB's memory comes out of the same budget: that of the largest batch that there may be.
  const auto text = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({setup.device_bytes / kDeviceBytesOfText, setup.max_text, most}));
  Spaces spaces{.processors = static_cast<std::uint32_t>(properties.processors)};
  spaces.work = FROND_TRY(kernel_space(text));
  const std::uint64_t space = in_granules(spaces.work);
  const TextCapacity capacity =
      TextCapacity::of(setup.device_bytes - std::min<std::uint64_t>(setup.device_bytes, space), setup.max_text);
  if (capacity.entries == 0)
    return Error(Code::kDevice, "the memory that it may use is too small for texts: " +
                                    std::to_string(setup.device_bytes >> 20) + " MiB");
  auto work = FROND_TRY(device::Stream::create());
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, setup.device_bytes));
  auto pinned = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, pinned_bytes(capacity)));
  auto places = FROND_TRY(TextPlaces::create());
  auto stages = FROND_TRY(StagedCopies::create());
  auto found = FROND_TRY(TokenCopies::create());
  auto run = FROND_TRY(RunOnDevice::create());
  auto counted = FROND_TRY(device::Event::create());
  Parts parts{std::move(work),   std::move(memory), std::move(pinned), std::move(places),
              std::move(stages), std::move(found),  std::move(run),    std::move(counted)};
  std::unique_ptr<DeviceText> made(new DeviceText(setup, capacity, std::move(parts), spaces));
  FROND_TRY(made->run().clear());
  FROND_TRY(made->clear_dictionary());
  return made;
}

DeviceText::~DeviceText() = default;
TextPlaces& DeviceText::places() { return parts_->places; }
RunOnDevice& DeviceText::run() { return parts_->run; }

DeviceText::DeviceText(const TextSetup& setup, const TextCapacity& capacity, Parts parts, const Spaces& spaces)
    : capacity_(capacity), parts_(std::make_unique<Parts>(std::move(parts))) {
  lay_out(setup, spaces);
}

void DeviceText::lay_out(const TextSetup& setup, const Spaces& spaces) {
  Parts& p = *parts_;
  DeviceParts pinned(p.pinned.data()), memory(p.memory.data());
  p.places.use(pinned, memory, capacity_);
  p.behind_places = p.pinned.data() + pinned.used();
  p.lengths = pinned.next<std::uint32_t>(capacity_.pieces);
  p.found.use(pinned.next<TextCounts>(kSides));
  p.paired = pinned.next<TextCounts>(2);
  p.stages.use(pinned.next<std::byte>(StagedCopies::kStages * StagedCopies::kStageBytes));

  const std::array<SearchParts, kSides> sought{SearchParts::of(memory, capacity_), SearchParts::of(memory, capacity_)};
  const BatchScratch shared = BatchScratch::of(memory, capacity_);
  for (std::size_t side = 0; side < kSides; ++side) batches_[side] = batch_in(sought[side], shared, capacity_);
  for (TextBatch& batch : batches_) batch.rules = setup.rules;
  chunk_places_ = shared.chunk_places;
  chunk_terms_ = shared.chunk_terms;
  dictionary_.slots = memory.next<TokenSlot>(capacity_.slots);
  dictionary_.terms = memory.next<std::uint32_t>(capacity_.tokens);
  dictionary_.slot_mask = capacity_.slots - 1;
  dictionary_.hash_mask = setup.hash_mask;
  RunOnDevice::Parts run;
  run.store.totals = memory.next<std::uint32_t>(capacity_.terms);
  run.offsets = memory.next<std::uint32_t>(capacity_.terms);
  run.store.numbers = memory.next<std::uint32_t>(capacity_.postings);
  run.store.frequencies = memory.next<std::uint32_t>(capacity_.postings);
  run.store.segments = memory.next<PostingSegment>(capacity_.segments);
  const std::size_t some = capacity_.entries + std::size_t{2};
  run.pairs = {shared.sorted, shared.sorted + some};
  run.other_pairs = {shared.sorted + 2 * some, shared.sorted + 3 * some};
  run.stored = p.paired + 1;
  run.device = setup.device;
  place_ = {spaces.processors, memory.next<std::byte>(spaces.work), spaces.work, p.work.get()};
  FROND_CHECK(memory.used() <= p.memory.bytes());
  p.run.use(run, capacity_, place_, p.stages);
}

Result<void> DeviceText::begin_find(std::size_t side, std::size_t place) {
  Parts& p = *parts_;
  TextBatch& batch = batches_[side];
  place_of_[side] = place;
  FROND_TRY(p.places.give(place, batch, place_.stream));
  batch.first_new = tokens_;
  batch.answered = learned_;
  TokenDictionary dictionary = dictionary_;
  dictionary.max_tokens = std::min(capacity_.tokens, tokens_ + capacity_.new_tokens);
  entries_[side] = 0;
  if (batch.text_bytes == 0) {
    p.found.begin_nothing(side, tokens_);
    return {};
  }
  FROND_TRY(cut_text(batch, place_));
  FROND_TRY(find_tokens(batch, dictionary, place_));
  return p.found.begin(side, batch, place_.stream);
}

Result<BatchTokens> DeviceText::end_find(std::size_t side) {
  const TextBatch& batch = batches_[side];
  FROND_CHECK(batch.first_new == tokens_);
  const MutexLock lock(stages_);
  BatchTokens found = FROND_TRY(parts_->found.end(side, batch, parts_->stages, place_.stream));
  entries_[side] = found.entries;
  tokens_ += static_cast<std::uint32_t>(found.new_keys.size());
  return found;
}

Result<BatchTokens> DeviceText::find(std::size_t side, std::size_t place) {
  FROND_TRY(begin_find(side, place));
  return end_find(side);
}

Result<void> DeviceText::learn(std::size_t side, std::span<const std::uint32_t> terms) {
  const std::uint32_t first = batches_[side].first_new;
  FROND_CHECK(first + terms.size() <= tokens_);
  learned_ = first + static_cast<std::uint32_t>(terms.size());
  if (terms.empty()) return {};
  return upload(bytes_of(dictionary_.terms + first), bytes_of(terms.data()), terms.size_bytes());
}

// The host must know how many pairs there are for sorting them.
Result<std::span<const std::uint32_t>> DeviceText::add(std::size_t side, std::span<const std::uint32_t> chunk_places,
                                                       std::span<const std::uint32_t> chunk_terms,
                                                       std::uint32_t terms) {
  FROND_CHECK(std::uint64_t{entries_[side]} + chunk_terms.size() <= capacity_.entries && terms <= capacity_.terms);
  Parts& p = *parts_;
  const TextBatch& batch = batches_[side];
  const std::span<const std::uint32_t> lengths(p.lengths, batch.piece_count);
  if (entries_[side] == 0) {
    std::fill_n(p.lengths, batch.piece_count, 0);
    return lengths;
  }
  const device::StreamHandle stream = place_.stream;
  FROND_TRY(upload(bytes_of(chunk_places_), bytes_of(chunk_places.data()), chunk_places.size_bytes()));
  FROND_TRY(upload(bytes_of(chunk_terms_), bytes_of(chunk_terms.data()), chunk_terms.size_bytes()));
  FROND_TRY(count_pairs(batch, dictionary_, entries_[side], place_));
  FROND_TRY(device::copy_to_host(bytes_of(p.paired), bytes_of(batch.counts), sizeof(TextCounts), stream));
  FROND_TRY(device::copy_to_host(bytes_of(p.lengths), bytes_of(batch.lengths), lengths.size_bytes(), stream));
  FROND_TRY(p.counted.record(stream));
  FROND_TRY(fill_pairs(batch, dictionary_, entries_[side], p.run.pairs(), place_));
  FROND_TRY(p.counted.wait());
  FROND_TRY(store_pairs(side, p.paired->pairs, terms));
  return lengths;
}

Result<void> DeviceText::add_pairs(std::size_t side, std::span<const std::uint32_t> pair_terms,
                                   std::span<const std::uint32_t> pair_pieces, std::uint32_t terms) {
  FROND_CHECK(pair_terms.size() == pair_pieces.size() && pair_terms.size() <= capacity_.entries);
  const TermPairs& pairs = parts_->run.pairs();
  FROND_TRY(upload(bytes_of(pairs.terms), bytes_of(pair_terms.data()), pair_terms.size_bytes()));
  FROND_TRY(upload(bytes_of(pairs.pieces), bytes_of(pair_pieces.data()), pair_pieces.size_bytes()));
  return store_pairs(side, static_cast<std::uint32_t>(pair_terms.size()), terms);
}

Result<void> DeviceText::store_pairs(std::size_t side, std::uint32_t pairs, std::uint32_t terms) {
  FROND_TRY(parts_->run.append(batches_[side], pairs, terms));
  return parts_->places.free_after(place_of_[side], place_.stream);
}

Result<void> DeviceText::clear_dictionary() {
  tokens_ = learned_ = 0;
  return device::fill_with_zeros(bytes_of(dictionary_.slots), capacity_.slots * sizeof(TokenSlot), place_.stream);
}

Result<void> DeviceText::upload(std::byte* to, const std::byte* from, std::size_t bytes) {
  return parts_->stages.upload(to, from, bytes, place_.stream);
}

Result<void> DeviceText::download(std::byte* to, const std::byte* from, std::size_t bytes) {
  return parts_->stages.download(to, from, bytes, place_.stream);
}

// From the first byte to the end of the dictionary's slots.
std::uint64_t DeviceText::rest_bytes() const {
  return static_cast<std::uint64_t>(bytes_of(dictionary_.slots + capacity_.slots) - parts_->memory.data());
}

Result<RestOfRun> DeviceText::rest() {
  Parts& p = *parts_;
  FROND_TRY(p.run.settle());
  FROND_TRY(p.places.wait());
  return RestOfRun{.store = p.run.parts().store,
                   .postings = p.run.postings(),
                   .segments = p.run.segments(),
                   .offsets = p.run.parts().offsets,
                   .place = place_,
                   .memory = p.memory.data(),
                   .copies = p.places.stream(),
                   .pinned = {p.pinned.data(), p.behind_places}};
}

}  // namespace frond::indexer::invert::gpu
