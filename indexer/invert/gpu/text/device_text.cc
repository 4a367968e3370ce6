#include "indexer/invert/gpu/text/device_text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/invert/gpu/text/device_text_memory.h"
#include "indexer/invert/gpu/text/found_tokens.h"
#include "indexer/invert/gpu/text/staged_copies.h"

namespace frond::indexer::invert::gpu {
namespace {

Result<void> make_events(std::vector<device::Event>& events, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) events.push_back(FROND_TRY(device::Event::create()));
  return {};
}

}  // namespace

std::uint64_t DeviceText::pinned_bytes(const TextCapacity& capacity) {
  DeviceParts parts(nullptr);
  for (std::size_t place = 0; place < kPlaces; ++place) SideParts::of(parts, capacity);
  FoundCopies::Parts::of(parts, capacity.new_tokens, capacity.chunks);
  parts.next<std::uint32_t>(capacity.pieces);
  parts.next<TextCounts>(2);
  parts.next<std::byte>(StagedCopies::kStages * StagedCopies::kStageBytes);
  return parts.used();
}

struct DeviceText::Objects {
  device::Stream copies, work, answers;
  device::Memory memory, pinned;
  StagedCopies stages;
  StepTimes times;
  FoundCopies found;
  // Reached by `answers` when: terms are learnt; pairs are counted, and that is known to the host; pairs are filled.
  device::Event learnt, counted, filled;
  device::Event added, worked;        // reached by `work`: the last batch's postings are stored; all so far
  std::vector<device::Event> sent{};  // by place: its text is on the device
  std::vector<device::Event> used{};  // by place: the kernels that read its pieces have run

  // DeviceParts of pinned.
  std::array<SideParts, kPlaces> places{};
  std::byte* behind_places = nullptr;
  std::uint32_t* lengths = nullptr;
  TextCounts *paired = nullptr, *stored = nullptr;

  // Of the device, with what was sent there.
  std::array<SideParts, kPlaces> sent_to{};
  std::array<std::uint32_t, kPlaces> text_bytes{}, pieces{};
  std::array<std::size_t, kSides> place_of{};  // whose text a side has
};

Result<std::unique_ptr<DeviceText>> DeviceText::create(const TextSetup& setup) {
  FROND_TRY(device::use(setup.device));
  const auto properties = FROND_TRY(device::properties_of(setup.device));
  const std::size_t most = std::size_t{1} << 30;
  // CUB's memory comes out of the same budget: that of the largest batch that there may be.
  const auto text = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({setup.device_bytes / kDeviceBytesOfText, setup.max_text, most}));
  Spaces spaces;
  spaces.work = FROND_TRY(kernel_space(text));
  spaces.answers = FROND_TRY(count_space(text));
  const std::uint64_t space = in_granules(spaces.work) + in_granules(spaces.answers);
  const TextCapacity capacity =
      TextCapacity::of(setup.device_bytes - std::min<std::uint64_t>(setup.device_bytes, space), setup.max_text);
  if (capacity.entries == 0)
    return Error(Code::kDevice, "the memory that it may use is too small for texts: " +
                                    std::to_string(setup.device_bytes >> 20) + " MiB");
  auto copies = FROND_TRY(device::Stream::create());
  auto work = FROND_TRY(device::Stream::create());
  auto answers = FROND_TRY(device::Stream::create());
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, setup.device_bytes));
  auto pinned = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, pinned_bytes(capacity)));
  auto stages = FROND_TRY(StagedCopies::create());
  auto times = FROND_TRY(StepTimes::create(setup.timing, kPlaces));
  auto found = FROND_TRY(FoundCopies::create());
  auto learnt = FROND_TRY(device::Event::create());
  auto counted = FROND_TRY(device::Event::create());
  auto filled = FROND_TRY(device::Event::create());
  auto added = FROND_TRY(device::Event::create());
  auto worked = FROND_TRY(device::Event::create());
  Objects objects{std::move(copies), std::move(work),  std::move(answers), std::move(memory), std::move(pinned),
                  std::move(stages), std::move(times), std::move(found),   std::move(learnt), std::move(counted),
                  std::move(filled), std::move(added), std::move(worked)};
  FROND_TRY(make_events(objects.sent, kPlaces));
  FROND_TRY(make_events(objects.used, kPlaces));
  std::unique_ptr<DeviceText> made(new DeviceText(setup, capacity, std::move(objects), spaces));
  made->place_.processors = made->answers_place_.processors = static_cast<std::uint32_t>(properties.processors);
  FROND_TRY(made->clear_run());
  FROND_TRY(made->clear_dictionary());
  return made;
}

DeviceText::~DeviceText() = default;

DeviceText::DeviceText(const TextSetup& setup, const TextCapacity& capacity, Objects objects, const Spaces& spaces)
    : setup_(setup), capacity_(capacity), objects_(std::make_unique<Objects>(std::move(objects))) {
  Objects& o = *objects_;
  DeviceParts pinned(o.pinned.data());
  for (SideParts& place : o.places) place = SideParts::of(pinned, capacity);
  o.behind_places = o.pinned.data() + pinned.used();
  o.found.use(FoundCopies::Parts::of(pinned, capacity.new_tokens, capacity.chunks));
  o.lengths = pinned.next<std::uint32_t>(capacity.pieces);
  o.paired = pinned.next<TextCounts>(2);
  o.stored = o.paired + 1;
  o.stages.use(pinned.next<std::byte>(StagedCopies::kStages * StagedCopies::kStageBytes));
  for (const SideParts& place : o.places) std::memset(place.text, 0, kTextSlack);

  DeviceParts parts(o.memory.data());
  for (SideParts& place : o.sent_to) place = SideParts::of(parts, capacity);
  const std::array<SoughtParts, 2> sought{SoughtParts::of(parts, capacity), SoughtParts::of(parts, capacity)};
  const BatchScratch shared = BatchScratch::of(parts, capacity);
  const std::size_t some = capacity.entries + std::size_t{2};
  dictionary_.slots = parts.next<TokenSlot>(capacity.slots);
  dictionary_.terms = parts.next<std::uint32_t>(capacity.tokens);
  dictionary_.slot_mask = capacity.slots - 1;
  dictionary_.hash_mask = setup.hash_mask;
  store_.totals = parts.next<std::uint32_t>(capacity.terms);
  offsets_ = parts.next<std::uint32_t>(capacity.terms);
  store_.numbers = parts.next<std::uint32_t>(capacity.postings);
  store_.frequencies = parts.next<std::uint32_t>(capacity.postings);
  store_.segments = parts.next<PostingSegment>(capacity.segments);
  place_.space = parts.next<std::byte>(spaces.work);
  place_.space_bytes = spaces.work;
  place_.stream = o.work.get();
  answers_place_.space = parts.next<std::byte>(spaces.answers);
  answers_place_.space_bytes = spaces.answers;
  answers_place_.stream = o.answers.get();
  FROND_CHECK(parts.used() <= o.memory.bytes());

  chunk_places_ = shared.chunk_places;
  chunk_terms_ = shared.chunk_terms;
  pairs_ = {shared.sorted, shared.sorted + some};
  other_pairs_ = {shared.sorted + 2 * some, shared.sorted + 3 * some};
  for (std::size_t i = 0; i < kSides; ++i) {
    TextBatch& batch = batches_[i];
    batch.joins = setup.standard2 ? 1 : 0;
    batch.lengths = shared.lengths;
    batch.unit_masks = shared.unit_masks;
    batch.unit_counts = shared.unit_counts;
    batch.unit_places = shared.unit_places;
    batch.starts = reinterpret_cast<std::uint32_t*>(sought[i].starts_tokens);
    batch.tokens = batch.starts + some;
    batch.misses = shared.misses;
    batch.max_misses = capacity.misses;
    batch.chunks = sought[i].chunks;
    batch.max_chunks = capacity.chunks;
    batch.new_keys = sought[i].new_keys;
    batch.max_new = capacity.new_tokens;
    batch.chunk_places = shared.chunk_places;
    batch.chunk_terms = shared.chunk_terms;
    batch.pair_counts = shared.counts_places;
    batch.pair_places = shared.counts_places + some;
    batch.counts = sought[i].counts;
  }
}

Result<TextPlace> DeviceText::fill(std::size_t place) {
  FROND_TRY(objects_->sent[place].wait());
  const SideParts& parts = objects_->places[place];
  return TextPlace{{parts.text + kTextSlack, capacity_.text},
                   {parts.piece_begins, capacity_.pieces},
                   {parts.piece_numbers, capacity_.pieces}};
}

Result<void> DeviceText::send(std::size_t place, std::uint32_t text_bytes, std::uint32_t pieces,
                              std::span<const TextRun> text) {
  FROND_CHECK(text_bytes <= capacity_.text && pieces <= capacity_.pieces);
  Objects& o = *objects_;
  const SideParts &from = o.places[place], &to = o.sent_to[place];
  o.text_bytes[place] = text_bytes;
  o.pieces[place] = pieces;
  constexpr std::size_t kZerosBehind = kTextSlack + kUnitBytes;
  std::memset(from.text + kTextSlack + text_bytes, 0, kZerosBehind);
  from.piece_begins[pieces] = text_bytes;
  const device::StreamHandle stream = o.copies.get();
  // The kernels that read the text have run: the host has what they found, since the batch was added. Those that read
  // the pieces may still run.
  FROND_TRY(o.times.begin(TextStep::kCopy, stream, place));
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
  FROND_TRY(o.times.end(TextStep::kCopy, stream, place));
  FROND_TRY(o.used[place].make_wait(stream));
  FROND_TRY(device::copy_to_device(bytes_of(to.piece_begins), bytes_of(from.piece_begins),
                                   (pieces + std::size_t{1}) * 4, stream));
  FROND_TRY(device::copy_to_device(bytes_of(to.piece_numbers), bytes_of(from.piece_numbers), pieces * std::size_t{4},
                                   stream));
  return o.sent[place].record(stream);
}

Result<void> DeviceText::wait_for_work() {
  FROND_TRY(objects_->worked.record(place_.stream));
  return objects_->worked.wait();
}

// Waits until it is known how many postings the last batch had.
Result<void> DeviceText::settle() {
  if (unsettled_pairs_ == 0) return {};
  FROND_TRY(objects_->added.wait());
  postings_ += objects_->stored->postings;
  segments_ += objects_->stored->segments;
  unsettled_pairs_ = 0;
  return {};
}

Result<void> DeviceText::begin_find(std::size_t side, std::size_t place) {
  Objects& o = *objects_;
  TextBatch& batch = batches_[side];
  o.place_of[side] = place;
  batch.text = o.sent_to[place].text + kTextSlack;
  batch.piece_begins = o.sent_to[place].piece_begins;
  batch.piece_numbers = o.sent_to[place].piece_numbers;
  batch.text_bytes = o.text_bytes[place];
  batch.piece_count = o.pieces[place];
  batch.first_new = tokens_;
  batch.answered = learned_;
  TokenDictionary dictionary = dictionary_;
  dictionary.max_tokens = std::min(capacity_.tokens, tokens_ + capacity_.new_tokens);
  entries_[side] = 0;
  FROND_TRY(o.sent[place].make_wait(place_.stream));
  if (batch.text_bytes == 0) {
    o.found.begin_nothing(side, tokens_);
    return {};
  }
  FROND_TRY(o.learnt.make_wait(place_.stream));
  FROND_TRY(objects_->times.begin(TextStep::kCut, place_.stream));
  FROND_TRY(cut_text(batch, place_));
  FROND_TRY(objects_->times.end(TextStep::kCut, place_.stream));
  FROND_TRY(objects_->times.begin(TextStep::kFind, place_.stream));
  FROND_TRY(find_tokens(batch, dictionary, place_));
  FROND_TRY(objects_->times.end(TextStep::kFind, place_.stream));
  return o.found.begin(side, batch, place_.stream);
}

Result<FoundTokens> DeviceText::end_find(std::size_t side) {
  const TextBatch& batch = batches_[side];
  FROND_CHECK(batch.first_new == tokens_);
  FoundTokens found = FROND_TRY(objects_->found.end(side, batch, objects_->stages));
  entries_[side] = found.entries;
  tokens_ += static_cast<std::uint32_t>(found.new_keys.size());
  return found;
}

Result<FoundTokens> DeviceText::find(std::size_t side, std::size_t place) {
  FROND_TRY(begin_find(side, place));
  return end_find(side);
}

Result<void> DeviceText::learn(std::size_t side, std::span<const std::uint32_t> terms) {
  const std::uint32_t first = batches_[side].first_new;
  FROND_CHECK(first + terms.size() <= tokens_);
  learned_ = first + static_cast<std::uint32_t>(terms.size());
  if (terms.empty()) return {};
  Objects& o = *objects_;
  FROND_TRY(o.stages.upload(bytes_of(dictionary_.terms + first), bytes_of(terms.data()), terms.size_bytes(),
                            o.answers.get()));
  return o.learnt.record(o.answers.get());
}

// Without waiting for the last batch's postings, if they do not matter.
Result<bool> DeviceText::has_room(std::uint32_t pairs) {
  const auto fit = [&](std::uint64_t more) {
    return postings_ + more <= capacity_.postings && segments_ + more <= capacity_.segments;
  };
  if (fit(std::uint64_t{pairs} + unsettled_pairs_)) return true;
  FROND_TRY(settle());
  return fit(pairs);
}

// Pairs are made in a stream of their own, beside the search for the next batch's tokens in `work`. So `work` has
// enough to do until the host knows how many pairs there are, which it must for sorting them.
Result<std::span<const std::uint32_t>> DeviceText::add(std::size_t side, std::span<const std::uint32_t> chunk_places,
                                                       std::span<const std::uint32_t> chunk_terms,
                                                       std::uint32_t terms) {
  FROND_CHECK(std::uint64_t{entries_[side]} + chunk_terms.size() <= capacity_.entries && terms <= capacity_.terms);
  Objects& o = *objects_;
  const TextBatch& batch = batches_[side];
  const std::span<const std::uint32_t> lengths(o.lengths, batch.piece_count);
  if (entries_[side] == 0) {
    std::fill_n(o.lengths, batch.piece_count, 0);
    return lengths;
  }
  const device::StreamHandle answers = o.answers.get();
  FROND_TRY(
      o.stages.upload(bytes_of(chunk_places_), bytes_of(chunk_places.data()), chunk_places.size_bytes(), answers));
  FROND_TRY(o.stages.upload(bytes_of(chunk_terms_), bytes_of(chunk_terms.data()), chunk_terms.size_bytes(), answers));
  FROND_TRY(o.added.make_wait(answers));  // the memory for pairs is free then
  FROND_TRY(o.times.begin(TextStep::kPairs, answers));
  FROND_TRY(count_pairs(batch, dictionary_, entries_[side], answers_place_));
  FROND_TRY(device::copy_to_host(bytes_of(o.paired), bytes_of(batch.counts), sizeof(TextCounts), answers));
  FROND_TRY(device::copy_to_host(bytes_of(o.lengths), bytes_of(batch.lengths), lengths.size_bytes(), answers));
  FROND_TRY(o.counted.record(answers));
  FROND_TRY(fill_pairs(batch, dictionary_, entries_[side], pairs_, answers_place_));
  FROND_TRY(o.times.end(TextStep::kPairs, answers));
  FROND_TRY(o.filled.record(answers));
  FROND_TRY(o.filled.make_wait(place_.stream));
  FROND_TRY(o.counted.wait());
  FROND_TRY(store_pairs(side, o.paired->pairs, terms));
  return lengths;
}

Result<void> DeviceText::add_pairs(std::size_t side, std::span<const std::uint32_t> pair_terms,
                                   std::span<const std::uint32_t> pair_pieces, std::uint32_t terms) {
  FROND_CHECK(pair_terms.size() == pair_pieces.size() && pair_terms.size() <= capacity_.entries);
  FROND_TRY(settle());
  FROND_TRY(objects_->sent[objects_->place_of[side]].make_wait(place_.stream));
  FROND_TRY(upload(bytes_of(pairs_.terms), bytes_of(pair_terms.data()), pair_terms.size_bytes()));
  FROND_TRY(upload(bytes_of(pairs_.pieces), bytes_of(pair_pieces.data()), pair_pieces.size_bytes()));
  return store_pairs(side, static_cast<std::uint32_t>(pair_terms.size()), terms);
}

// Appends the pairs' postings to the store. Asynchronous: settle() knows how many.
Result<void> DeviceText::store_pairs(std::size_t side, std::uint32_t pairs, std::uint32_t terms) {
  FROND_TRY(settle());
  FROND_CHECK(std::uint64_t{postings_} + pairs <= capacity_.postings && terms <= capacity_.terms);
  if (pairs == 0) return {};
  Objects& o = *objects_;
  const TextBatch& batch = batches_[side];
  const device::StreamHandle work = place_.stream;
  FROND_TRY(o.times.begin(TextStep::kSort, work));
  const TermPairs sorted = FROND_TRY(sort_pairs(pairs_, other_pairs_, pairs, std::bit_width(terms), place_));
  FROND_TRY(o.times.end(TextStep::kSort, work));
  FROND_TRY(o.times.begin(TextStep::kPostings, work));
  FROND_TRY(make_postings(batch, sorted, pairs, reinterpret_cast<std::uint64_t*>(batch.starts), batch.pair_counts,
                          store_, postings_, segments_, place_));
  FROND_TRY(o.times.end(TextStep::kPostings, work));
  FROND_TRY(device::copy_to_host(bytes_of(o.stored), bytes_of(batch.counts), sizeof(TextCounts), work));
  unsettled_pairs_ = pairs;
  FROND_TRY(o.used[o.place_of[side]].record(work));
  return o.added.record(work);
}

Result<void> DeviceText::clear_run() {
  FROND_TRY(settle());
  postings_ = segments_ = 0;
  return device::fill_with_zeros(bytes_of(store_.totals), capacity_.terms * std::size_t{4}, place_.stream);
}

Result<void> DeviceText::clear_dictionary() {
  tokens_ = learned_ = 0;
  return device::fill_with_zeros(bytes_of(dictionary_.slots), capacity_.slots * sizeof(TokenSlot), place_.stream);
}

Result<void> DeviceText::upload(std::byte* to, const std::byte* from, std::size_t bytes) {
  return objects_->stages.upload(to, from, bytes, place_.stream);
}

Result<void> DeviceText::download(std::byte* to, const std::byte* from, std::size_t bytes) {
  return objects_->stages.download(to, from, bytes, place_.stream);
}

Result<std::vector<std::uint32_t>> DeviceText::totals(std::uint32_t terms) {
  FROND_TRY(settle());
  std::vector<std::uint32_t> all(terms);
  FROND_TRY(download(bytes_of(all.data()), bytes_of(store_.totals), all.size() * 4));
  return all;
}

Result<void> DeviceText::place_terms(std::span<const std::uint32_t> offsets, std::uint64_t postings) {
  FROND_TRY(settle());
  FROND_CHECK(postings == postings_ && offsets.size() <= capacity_.terms);
  return upload(bytes_of(offsets_), bytes_of(offsets.data()), offsets.size_bytes());
}

// From the first byte to the end of the dictionary's slots.
std::uint64_t DeviceText::rest_bytes() const {
  return static_cast<std::uint64_t>(bytes_of(dictionary_.slots + capacity_.slots) - objects_->memory.data());
}

Result<RestOfRun> DeviceText::rest() {
  FROND_TRY(settle());
  const Objects& o = *objects_;
  for (const device::Event& sent : o.sent) FROND_TRY(sent.wait());
  return RestOfRun{.store = store_,
                   .postings = postings_,
                   .segments = segments_,
                   .offsets = offsets_,
                   .place = place_,
                   .memory = o.memory.data(),
                   .copies = o.copies.get(),
                   .pinned = {o.pinned.data(), o.behind_places}};
}

Result<void> DeviceText::read(std::span<const std::uint32_t> order, std::span<const std::uint32_t> totals,
                              const VisitPostings& visit) {
  std::uint32_t placed = 0;
  std::vector<std::uint32_t> offsets(totals.size());
  for (const std::uint32_t term : order) offsets[term] = std::exchange(placed, placed + totals[term]);
  FROND_TRY(place_terms(offsets, placed));
  // Postings are gathered where a batch's pairs would be.
  const PostingsToRead run{.store = store_,
                           .postings = postings_,
                           .segments = segments_,
                           .offsets = offsets_,
                           .numbers = pairs_.terms,
                           .frequencies = other_pairs_.terms,
                           .window = (capacity_.entries + std::uint32_t{2}) * 2};
  return read_postings(run, objects_->stages, place_, visit);
}

Result<std::array<double, kTextSteps>> DeviceText::step_milliseconds() {
  FROND_TRY(settle());
  FROND_TRY(wait_for_work());
  for (const device::Event& sent : objects_->sent) FROND_TRY(sent.wait());
  return objects_->times.milliseconds();
}

}  // namespace frond::indexer::invert::gpu
