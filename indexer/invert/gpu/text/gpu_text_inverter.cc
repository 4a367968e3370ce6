#include "indexer/invert/gpu/text/gpu_text_inverter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/thread_name.h"
#include "common/device/runtime.h"
#include "indexer/invert/cpu_text_inverter.h"
#include "indexer/invert/gpu/text/held_texts.h"
#include "indexer/invert/gpu/text/sliced_runs.h"

namespace frond::indexer::invert::gpu {
namespace {

// What read() and in_order() take for a term: its total, offset, place in the order, and twice what it is sorted by.
constexpr std::uint64_t kReadBytesOfTerm = 60;

constexpr std::uint32_t kMostCopiers = 4;  // more copy no faster

// Where documents are cut: before and behind it, all analyzers find the same as in the whole.
bool is_space(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

}  // namespace

GpuTextInverter::GpuTextInverter(TextInverterSetup setup)
    : setup_(std::move(setup)),
      pinning_({[device = setup_.inverter.gpu.device](void* memory, std::size_t bytes) {
                  return static_cast<bool>(device::pin(device, memory, bytes));
                },
                [device = setup_.inverter.gpu.device](void* memory) { device::unpin(device, memory); }}),
      terms_(std::make_unique<TextTerms>(setup_.analyzer, setup_.threads)),
      copiers_(std::clamp(setup_.threads / 4, 1u, kMostCopiers)) {
  note_terms();
}
GpuTextInverter::~GpuTextInverter() = default;

void GpuTextInverter::note_terms() {
  term_bytes_.store(terms_->memory_bytes() + terms_->size() * kReadBytesOfTerm, std::memory_order_relaxed);
}

bool GpuTextInverter::has_blocks() {
  const MutexLock lock(blocks_mutex_);
  return !blocks_.empty();
}

Result<void> GpuTextInverter::or_without_device(Result<void> result) {
  if (result || result.error().code() != Code::kDevice) return result;
  return go_on_without_device(result.error());
}

Result<void> GpuTextInverter::invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) {
  if (cpu_) return cpu_->invert(std::move(texts), numbers);
  Block block{std::move(texts), {numbers.begin(), numbers.end()}};
  const std::uint64_t bytes = block.bytes();
  const auto fits = [&] { return memory_bytes() + bytes <= std::max(kMinBytes, setup_.inverter.budget()); };
  if (setup_.may_lose_postings) {
    // Where some are dropped, the CPU cannot go on from the others: they only take memory.
    drop_done_blocks(texts_dropped_ ? 0 : setup_.max_kept_texts);
    if (!fits()) {
      FROND_TRY(or_without_device(end_work()));
      drop_done_blocks(0);
    }
  }
  if (cpu_) return cpu_->invert(std::move(block.texts), block.numbers);
  if (has_blocks() && !fits()) {
    FROND_TRY(or_without_device(write_all()));
    if (!cpu_ && memory_bytes() > std::max(kMinBytes, setup_.inverter.budget()) / 2)
      FROND_TRY(or_without_device(clear_dictionary()));
    if (cpu_) return cpu_->invert(std::move(block.texts), numbers);
  }
  Position at;
  const Block* kept = nullptr;
  {
    const MutexLock lock(blocks_mutex_);
    at.block = first_block_ + blocks_.size();
    kept = &blocks_.emplace_back(std::move(block));
  }
  block_bytes_ += bytes;
  return or_without_device(take(*kept, at));
}

// `block` stays where it is until all of it is in runs.
Result<void> GpuTextInverter::take(const Block& block, Position at) {
  if (!device_) {
    device_ = FROND_TRY(DeviceText::create({.device = setup_.inverter.gpu.device,
                                            .device_bytes = setup_.inverter.gpu.bytes,
                                            .max_text = setup_.max_text,
                                            .standard2 = setup_.analyzer.kind == text::AnalyzerKind::kStandard2}));
  }
  is_pinned_ = parse::pin_large_pages(block.texts.bytes.data(), pinning_);
  for (; at.document < block.numbers.size(); ++at.document, at.byte = 0) {
    const DocumentNumber number = block.numbers[at.document];
    if (number == kDropped) continue;
    if (base_ && number - *base_ >= kMaxRunDocuments) {
      FROND_TRY(write_all());
      base_.reset();
    }
    if (!base_) base_ = number;
    FROND_TRY(take_document(block.texts.of(at.document), number, at));
  }
  return {};
}

// The text, or what is left of it, to a batch; documents that are longer than one, piece by piece.
Result<void> GpuTextInverter::take_document(std::string_view text, DocumentNumber number, Position& at) {
  const TextCapacity& capacity = device_->capacity();
  while (at.byte < text.size()) {
    const std::string_view rest = text.substr(at.byte);
    const TextPieces& pieces = filling_.pieces;
    if (rest.size() <= capacity.text - pieces.bytes() && pieces.numbers().size() < capacity.pieces) {
      at.byte = text.size();
      put(rest, number, {at.block, at.document + 1, 0});
      return {};
    }
    if (!pieces.empty()) {
      FROND_TRY(submit());
      continue;
    }
    std::size_t end = capacity.text;
    while (end > 0 && !is_space(rest[end - 1])) --end;
    if (end > 0) {
      at.byte += end;
      put(rest.substr(0, end), number, at);
      continue;
    }
    end = capacity.text;
    while (!is_space(rest[end])) ++end;  // the text ends with a line feed
    at.byte += end;
    FROND_TRY(take_long_words(rest.substr(0, end), number, at));
  }
  return {};
}

void GpuTextInverter::put(std::string_view piece, DocumentNumber number, const Position& end) {
  filling_.pieces.put(piece, static_cast<std::uint32_t>(number - *base_), is_pinned_);
  filling_.base = *base_;
  filling_.end = end;
}

// A text without a space that does not fit into a batch: the host cuts it. Nothing is being filled.
Result<void> GpuTextInverter::take_long_words(std::string_view words, DocumentNumber number, const Position& end) {
  FROND_TRY(drain());
  constexpr std::size_t kSide = 0;
  Batch& batch = sides_[kSide].batch;
  batch.pieces.clear();
  batch.pieces.put({}, static_cast<std::uint32_t>(number - *base_), false);
  batch.base = *base_;
  batch.place = filling_.place;
  batch.pieces.copy_to(FROND_TRY(device_->fill(batch.place)), copiers_);
  FROND_TRY(device_->send(batch.place, 0, 1));
  FROND_TRY(device_->begin_find(kSide, batch.place));  // there is nothing to find
  HostPairs pairs;
  terms_->cut_all(words, pairs.terms);
  pairs.pieces.assign(pairs.terms.size(), 0);
  pairs.lengths.assign(1, static_cast<std::uint32_t>(pairs.terms.size()));
  FROND_TRY(add_host_pairs(kSide, pairs));
  set_done(end);
  return {};
}

// Has what was filled worked on. It is copied, also to the device, while the two batches before are worked on.
Result<void> GpuTextInverter::submit() {
  FROND_TRY(device::use(setup_.inverter.gpu.device));  // of this thread
  const TextPieces& pieces = filling_.pieces;
  const TextPlace place = FROND_TRY(device_->fill(filling_.place));
  pieces.copy_to(place, copiers_);
  FROND_TRY(device_->send(filling_.place, pieces.bytes(), static_cast<std::uint32_t>(pieces.numbers().size()),
                          pieces.runs(place)));
  FROND_TRY(end_work());
  std::swap(waiting_, filling_);
  filling_.pieces.clear();
  filling_.place = (waiting_.place + 1) % DeviceText::kPlaces;
  begin_work(&GpuTextInverter::work_on_waiting);
  return {};
}

// Waits until all texts so far were worked on.
Result<void> GpuTextInverter::drain() {
  if (!device_) return {};
  if (!filling_.pieces.empty()) FROND_TRY(submit());
  FROND_TRY(end_work());
  if (sought_) begin_work(&GpuTextInverter::work_on_sought);
  return end_work();
}

void GpuTextInverter::begin_work(Result<void> (GpuTextInverter::*work)()) {
  working_ = std::async(std::launch::async, [this, work]() -> Result<void> {
    name_this_thread("texts-0");
    FROND_TRY(device::use(setup_.inverter.gpu.device));
    FROND_TRY((this->*work)());
    note_terms();
    return {};
  });
}

Result<void> GpuTextInverter::end_work() { return working_.valid() ? working_.get() : Result<void>(); }

// Has the tokens of the batch that waits sought, and ends the one before meanwhile.
Result<void> GpuTextInverter::work_on_waiting() {
  const std::size_t next = sought_ ? 1 - *sought_ : 0;
  Side& side = sides_[next];
  std::swap(side.batch, waiting_);
  FROND_TRY(device_->begin_find(next, side.batch.place));
  if (sought_)
    FROND_TRY(end_batch(*sought_, next));
  else
    side.found = FROND_TRY(device_->end_find(next));
  sought_ = next;
  return {};
}

Result<void> GpuTextInverter::work_on_sought() {
  FROND_TRY(end_batch(*sought_, std::nullopt));
  sought_.reset();
  return {};
}

// Adds a batch whose tokens were sought. next: the side whose tokens are being sought.
Result<void> GpuTextInverter::end_batch(std::size_t side, std::optional<std::size_t> next) {
  if (FROND_TRY(try_batch(side, next))) return {};
  // There are too many terms. An empty dictionary has room for those of a batch.
  FROND_TRY(write_runs());
  FROND_TRY(clear_dictionary());
  sides_[side].found = FROND_TRY(device_->find(side, sides_[side].batch.place));
  if (next) FROND_TRY(device_->begin_find(*next, sides_[*next].batch.place));
  if (FROND_TRY(try_batch(side, next))) return {};
  return Error(Code::kDevice, "the memory that it may use is too small for the terms of a batch");
}

// False: there are too many terms; nothing was added. The tokens of `next` were sought, then and otherwise.
Result<bool> GpuTextInverter::try_batch(std::size_t side, std::optional<std::size_t> next) {
  const TextCapacity& capacity = device_->capacity();
  const FoundTokens& found = sides_[side].found;
  std::vector<std::uint32_t> answer, places, terms;
  terms_->find(found.new_keys, answer);
  const Batch& batch = sides_[side].batch;
  if (!found.too_many_chunks) terms_->cut(batch.pieces, found.chunks, places, terms);
  const auto end_next = [&]() -> Result<void> {
    if (next) sides_[*next].found = FROND_TRY(device_->end_find(*next));
    return {};
  };
  FROND_TRY(device_->learn(side, answer));
  if (found.too_many_chunks || found.entries + terms.size() > capacity.entries) {
    FROND_TRY(end_next());
    const HostPairs pairs = FROND_TRY(cut_on_host(side));
    if (terms_->size() > capacity.terms) return false;
    FROND_TRY(add_host_pairs(side, pairs));
  } else if (terms_->size() > capacity.terms) {
    FROND_TRY(end_next());
    return false;
  } else {
    // The batch is added before it is known what was found in the next one, so that the device goes on with it.
    FROND_TRY(make_room(found.entries + terms.size()));
    const auto lengths = FROND_TRY(device_->add(side, places, terms, terms_->size()));
    FROND_TRY(note_lengths(batch, lengths));
    FROND_TRY(end_next());
  }
  set_done(batch.end);
  if (found.turned_away > 0 && device_->tokens() >= capacity.tokens / 16 * 15) {
    FROND_TRY(write_runs());
    FROND_TRY(clear_dictionary());
    if (next) sides_[*next].found = FROND_TRY(device_->find(*next, sides_[*next].batch.place));
  }
  return true;
}

// All of a batch's text.
Result<GpuTextInverter::HostPairs> GpuTextInverter::cut_on_host(std::size_t side) {
  HostPairs pairs;
  const TextPieces& batch = sides_[side].batch.pieces;
  const auto count = static_cast<std::uint32_t>(batch.numbers().size());
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    const std::size_t before = pairs.terms.size();
    terms_->cut_all(batch.piece(piece), pairs.terms);
    pairs.pieces.resize(pairs.terms.size(), piece);
    pairs.lengths.push_back(static_cast<std::uint32_t>(pairs.terms.size() - before));
  }
  return pairs;
}

Result<void> GpuTextInverter::add_host_pairs(std::size_t side, const HostPairs& pairs) {
  const std::span<const std::uint32_t> terms(pairs.terms), pieces(pairs.pieces);
  if (terms_->size() > device_->capacity().terms)
    return Error(Code::kDevice, "the memory that it may use is too small for the terms of a batch");
  for (std::size_t at = 0; at < terms.size();) {
    const std::size_t some = std::min<std::size_t>(device_->capacity().entries, terms.size() - at);
    // Runs end with whole batches, from which the CPU could go on: only before the first part.
    if (at == 0) FROND_TRY(make_room(std::min<std::size_t>(terms.size(), device_->capacity().postings / 2)));
    if (!FROND_TRY(device_->has_room(static_cast<std::uint32_t>(some))))
      return Error(Code::kDevice, "the memory that it may use is too small for a document");
    FROND_TRY(device_->add_pairs(side, terms.subspan(at, some), pieces.subspan(at, some), terms_->size()));
    at += some;
  }
  return note_lengths(sides_[side].batch, pairs.lengths);
}

// Writes what there is if the run has no room for so many more pairs.
Result<void> GpuTextInverter::make_room(std::size_t pairs) {
  if (!FROND_TRY(device_->has_room(static_cast<std::uint32_t>(pairs)))) FROND_TRY(write_runs());
  return {};
}

Result<void> GpuTextInverter::note_lengths(const Batch& batch, std::span<const std::uint32_t> lengths) {
  for (std::size_t piece = 0; piece < lengths.size(); ++piece) {
    const DocumentNumber number = batch.base + batch.pieces.numbers()[piece];
    if (open_.number != number) {
      FROND_TRY(end_length());
      open_ = {number, 0};
    }
    open_.terms += lengths[piece];
  }
  return {};
}

Result<void> GpuTextInverter::end_length() {
  const Length length = std::exchange(open_, {});
  if (length.number == kDropped || length.number < next_length_) return {};
  next_length_ = length.number + 1;
  return setup_.take_length ? setup_.take_length(length.number, length.terms) : Result<void>();
}

// A document of which only the CPU has a part gets its length when that part is cut: go_on_without_device() does it.
Result<void> GpuTextInverter::give_lengths() {
  if (cpu_ || !has_blocks()) return {};
  FROND_TRY(or_without_device(drain()));
  return cpu_ ? Result<void>() : end_length();
}

Result<std::vector<runs::RunFile>> GpuTextInverter::flush() {
  if (device_) FROND_TRY(or_without_device(device::use(setup_.inverter.gpu.device)));  // of this thread
  if (!cpu_ && has_blocks()) {
    FROND_TRY(or_without_device(write_all()));
    if (!cpu_) {
      FROND_TRY(end_length());
      {
        const MutexLock lock(blocks_mutex_);
        while (!blocks_.empty()) drop_block();
      }
      note_terms();
      if (device_ && memory_bytes() > kMinBytes) FROND_TRY(or_without_device(clear_dictionary()));
    }
  }
  if (cpu_)
    for (runs::RunFile& run : FROND_TRY(cpu_->flush())) runs_.push_back(std::move(run));
  return std::exchange(runs_, {});
}

Result<std::unique_ptr<runs::PostingSlices>> GpuTextInverter::hold(std::uint64_t most) {
  std::unique_ptr<runs::PostingSlices> held;
  if (cpu_ || !device_ || flushes_ > 0) return held;
  std::vector<std::uint32_t> totals;
  const auto read_totals = [&]() -> Result<void> {
    FROND_TRY(device::use(setup_.inverter.gpu.device));  // of this thread
    FROND_TRY(drain());
    if (flushes_ == 0) totals = FROND_TRY(device_->totals(std::min(terms_->size(), device_->capacity().terms)));
    return {};
  };
  FROND_TRY(or_without_device(read_totals()));
  if (cpu_ || flushes_ > 0 || !base_ || term_bytes_ > most) return held;
  FROND_TRY(end_length());
  {
    const MutexLock lock(blocks_mutex_);
    while (!blocks_.empty()) drop_block();
  }
  held = std::make_unique<HeldTexts>(setup_.inverter.gpu.device, std::move(device_), std::move(terms_), *base_,
                                     std::move(totals), term_bytes_);
  term_bytes_ = 0;
  return held;
}

Result<void> GpuTextInverter::write_all() {
  FROND_TRY(drain());
  return write_runs();
}

Result<void> GpuTextInverter::write_runs() {
  if (!device_ || !base_) return {};
  const std::vector<std::uint32_t> totals =
      FROND_TRY(device_->totals(std::min(terms_->size(), device_->capacity().terms)));
  const std::vector<std::uint32_t> in_order = terms_->in_order(totals);
  const TermOrder order{in_order, totals};
  SlicedRuns runs(setup_.inverter.folder, setup_.inverter.label + "-" + std::to_string(flushes_),
                  setup_.inverter.partitions, setup_.inverter.frame_bytes, *base_, setup_.threads, terms_->numbers(),
                  order);
  FROND_TRY(device_->read(in_order, totals,
                          [&runs](auto numbers, auto frequencies) { return runs.add(numbers, frequencies); }));
  FROND_TRY(runs.finish(runs_));
  ++flushes_;
  written_ = done_;
  written_open_ = open_;
  texts_dropped_ = false;
  {
    const MutexLock lock(blocks_mutex_);
    while (!blocks_.empty() && (first_block_ < written_.block || (first_block_ == written_.block &&
                                                                  written_.document >= blocks_.front().numbers.size())))
      drop_block();
  }
  note_terms();
  return device_->clear_run();
}

// Those of which the device has all, until so many bytes are left. One after the other, so that parsers use their
// memory again.
void GpuTextInverter::drop_done_blocks(std::uint64_t left) {
  const std::uint64_t done = done_block_.load(std::memory_order_acquire);
  const MutexLock lock(blocks_mutex_);
  while (!blocks_.empty() && first_block_ < done && block_bytes_ > left) {
    texts_dropped_ = true;
    drop_block();
  }
}

void GpuTextInverter::set_done(const Position& done) {
  done_ = done;
  done_block_.store(done.block, std::memory_order_release);
}

void GpuTextInverter::drop_block() {
  block_bytes_ -= blocks_.front().bytes();
  blocks_.pop_front();
  ++first_block_;
}

// The run is empty.
Result<void> GpuTextInverter::clear_dictionary() {
  terms_->clear();
  note_terms();
  return device_->clear_dictionary();
}

// All that no run has goes to the CPU.
Result<void> GpuTextInverter::go_on_without_device(const Error& why) {
  Result<void> ended = end_work();  // what it has done is known in done_ and written_
  if (!ended && ended.error().code() != Code::kDevice) return ended;
  if (texts_dropped_) return Error(Code::kDevice, "the GPU has lost postings: " + why.message());
  if (setup_.inverter.warn) setup_.inverter.warn("the GPU is not used any more: " + why.message());
  device_.reset();
  terms_->clear();
  filling_.pieces.clear();
  sought_.reset();
  TextInverterSetup setup = setup_;
  setup.inverter.label += "-without-gpu";
  setup.take_length = [this](DocumentNumber number, std::uint32_t terms) -> Result<void> {
    if (number < next_length_) return {};
    if (number == written_open_.number) terms += written_open_.terms;  // a part of it is in a run
    next_length_ = number + 1;
    return setup_.take_length ? setup_.take_length(number, terms) : Result<void>();
  };
  cpu_ = std::make_unique<CpuTextInverter>(std::move(setup));
  cpu_on_.store(true, std::memory_order_release);
  if (written_.byte == 0) {  // the last document of the runs is whole
    open_ = std::exchange(written_open_, {});
    FROND_TRY(end_length());
  }
  const MutexLock lock(blocks_mutex_);  // nobody else is there
  for (; !blocks_.empty(); blocks_.pop_front(), ++first_block_) {
    Block& block = blocks_.front();
    if (first_block_ > written_.block || (written_.document == 0 && written_.byte == 0)) {
      FROND_TRY(cpu_->invert(std::move(block.texts), block.numbers));
      continue;
    }
    DocumentTexts rest;
    for (std::size_t document = written_.document; document < block.numbers.size(); ++document) {
      rest.bytes.append(block.texts.of(document).substr(document == written_.document ? written_.byte : 0));
      rest.ends.push_back(rest.bytes.size());
    }
    FROND_TRY(cpu_->invert(std::move(rest), std::span(block.numbers).subspan(written_.document)));
  }
  block_bytes_ = 0;
  return {};
}

const TextInverterKind& gpu_text_inverter_kind() {
  static constexpr TextInverterKind kKind{"gpu-text", [](TextInverterSetup setup) -> std::unique_ptr<TextInverter> {
                                            return std::make_unique<GpuTextInverter>(std::move(setup));
                                          }};
  return kKind;
}

}  // namespace frond::indexer::invert::gpu
