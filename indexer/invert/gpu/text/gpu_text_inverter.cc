#include "indexer/invert/gpu/text/gpu_text_inverter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/thread_name.h"
#include "common/device/runtime.h"
#include "indexer/invert/cpu_text_inverter.h"
#include "indexer/invert/gpu/text/device_postings.h"
#include "indexer/invert/gpu/text/sliced_runs.h"

namespace frond::indexer::invert::gpu {
namespace {

// What read() and in_order() take for a term: its total, offset, place in the order, and twice what it is sorted by.
constexpr std::uint64_t kReadBytesOfTerm = 60;

constexpr std::uint32_t kMostCopiers = 4;  // more copy no faster

}  // namespace

GpuTextInverter::GpuTextInverter(TextInverterSetup setup)
    : setup_(std::move(setup)),
      pinning_({[device = setup_.inverter.gpu.device](void* memory, std::size_t bytes) {
                  return static_cast<bool>(device::pin(device, memory, bytes));
                },
                [device = setup_.inverter.gpu.device](void* memory) { device::unpin(device, memory); }}),
      terms_(std::make_unique<TextTerms>(setup_.analyzer, setup_.threads)),
      copiers_(std::clamp(setup_.threads / 4, 1u, kMostCopiers)),
      lengths_(setup_.take_length) {
  note_terms();
}
GpuTextInverter::~GpuTextInverter() { turns_.fail(Error(Code::kUnavailable, "stopped")); }

void GpuTextInverter::note_terms() {
  term_bytes_.store(terms_->memory_bytes() + terms_->size() * kReadBytesOfTerm, std::memory_order_relaxed);
}

Result<void> GpuTextInverter::or_without_device(Result<void> result) {
  if (result || result.error().code() != Code::kDevice) return result;
  return go_on_without_device(result.error());
}

Result<void> GpuTextInverter::invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) {
  if (cpu_) return cpu_->invert(std::move(texts), numbers);
  TextBlock block{std::move(texts), {numbers.begin(), numbers.end()}};
  const std::uint64_t bytes = block.bytes();
  const auto fits = [&] { return memory_bytes() + bytes <= std::max(kMinBytes, setup_.inverter.budget()); };
  if (setup_.may_lose_postings) {
    // Where some are dropped, the CPU cannot go on from the others: they only take memory.
    drop_done_texts(texts_dropped_ ? 0 : setup_.max_kept_texts);
    if (!fits()) {
      FROND_TRY(or_without_device(end_all_work()));
      drop_done_texts(0);
    }
  }
  if (cpu_) return cpu_->invert(std::move(block.texts), block.numbers);
  if (!texts_.empty() && !fits()) {
    FROND_TRY(or_without_device(write_all()));
    if (!cpu_ && memory_bytes() > std::max(kMinBytes, setup_.inverter.budget()) / 2) clear_terms();
    if (cpu_) return cpu_->invert(std::move(block.texts), numbers);
  }
  const ReplayBuffer::Added kept = texts_.add(std::move(block));
  return or_without_device(take(kept.block, {.block = kept.number}));
}

// `block` stays where it is until all of it is in runs.
Result<void> GpuTextInverter::take(const TextBlock& block, TextPosition at) {
  if (lanes_.empty()) FROND_TRY(make_devices());
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

Result<void> GpuTextInverter::make_devices() {
  std::vector<int> devices = setup_.inverter.gpu.more_devices;
  devices.insert(devices.begin(), setup_.inverter.gpu.device);
  std::optional<Error> why;
  for (const int device : devices) {
    auto made = make_lane(device);
    if (made) {
      lanes_.push_back(*std::move(made));
      continue;
    }
    why = std::move(made).error();
    if (devices.size() > 1 && setup_.inverter.warn)
      setup_.inverter.warn("GPU " + std::to_string(device) + " is not used for texts: " + why->message());
  }
  if (lanes_.empty()) return *std::move(why);
  return device::use(lanes_.front()->device);
}

Result<std::unique_ptr<GpuTextInverter::Lane>> GpuTextInverter::make_lane(int device) {
  auto lane = std::make_unique<Lane>();
  lane->device = device;
  lane->text = FROND_TRY(DeviceText::create({.device = device,
                                             .device_bytes = setup_.inverter.gpu.bytes,
                                             .max_text = setup_.max_text,
                                             .rules = rules_on_device(setup_.analyzer)}));
  if (!lanes_.empty()) {
    const Lane& first = *lanes_.front();
    if (lane->text->capacity() != first.text->capacity())
      return Error(Code::kDevice, "it is of another kind than GPU " + std::to_string(first.device));
    lane->text->run().append_to(first.text->run());
    FROND_TRY(device::on_device(first.device, [device]() -> Result<void> {
      device::reach(device);
      return {};
    }));
  }
  lane->batches.emplace(*lane->text, *terms_,
                        TextBatches::Owner{.write_runs = std::bind_front(&GpuTextInverter::write_runs, this),
                                           .clear_terms = std::bind_front(&GpuTextInverter::clear_terms, this),
                                           .note_added = std::bind_front(&GpuTextInverter::note_added, this),
                                           .turns = turns_,
                                           .terms_cleared = terms_cleared_});
  return lane;
}

// The text, or what is left of it, to a batch; documents that are longer than one, piece by piece.
Result<void> GpuTextInverter::take_document(std::string_view text, DocumentNumber number, TextPosition& at) {
  const TextCapacity& capacity = lanes_.front()->text->capacity();
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
    if (const std::size_t end = end_of_words(rest, capacity.text); end > 0) {
      at.byte += end;
      put(rest.substr(0, end), number, at);
      continue;
    }
    const std::size_t end = end_of_word(rest, capacity.text);
    at.byte += end;
    FROND_TRY(take_long_words(rest.substr(0, end), number, at));
  }
  return {};
}

void GpuTextInverter::put(std::string_view piece, DocumentNumber number, const TextPosition& end) {
  filling_.pieces.put(piece, static_cast<std::uint32_t>(number - *base_), is_pinned_);
  filling_.base = *base_;
  filling_.end = end;
}

// A text without a space that does not fit into a batch: the host cuts it. Nothing is being filled.
Result<void> GpuTextInverter::take_long_words(std::string_view words, DocumentNumber number, const TextPosition& end) {
  FROND_TRY(drain());
  Lane& lane = next_lane();
  FROND_TRY(device::use(lane.device));  // of this thread
  SentBatch batch{.base = *base_, .end = end, .place = next_place(), .number = batches_++};
  batch.pieces.put({}, static_cast<std::uint32_t>(number - *base_), false);
  batch.pieces.copy_to(FROND_TRY(lane.text->places().fill(batch.place)), copiers_);
  FROND_TRY(lane.text->places().send(batch.place, 0, 1));
  return lane.batches->add_words(batch, words);
}

// Has what was filled worked on. It is copied, also to the device, while the two batches before are worked on.
Result<void> GpuTextInverter::submit() {
  Lane& lane = next_lane();
  FROND_TRY(device::use(lane.device));  // of this thread
  filling_.place = next_place();
  filling_.number = batches_++;
  const TextPieces& pieces = filling_.pieces;
  const TextPlace place = FROND_TRY(lane.text->places().fill(filling_.place));
  pieces.copy_to(place, copiers_);
  FROND_TRY(lane.text->places().send(filling_.place, pieces.bytes(),
                                     static_cast<std::uint32_t>(pieces.numbers().size()), pieces.runs(place)));
  FROND_TRY(end_work(lane));
  std::swap(lane.waiting, filling_);
  filling_.pieces.clear();
  begin_work(lane, [&lane] { return lane.batches->seek(lane.waiting); });
  return {};
}

// Waits until all texts so far were worked on.
Result<void> GpuTextInverter::drain() {
  if (lanes_.empty()) return {};
  if (!filling_.pieces.empty()) FROND_TRY(submit());
  FROND_TRY(end_all_work());
  for (const auto& lane : lanes_)
    if (lane->batches->any()) begin_work(*lane, [&batches = *lane->batches] { return batches.end_last(); });
  return end_all_work();
}

void GpuTextInverter::begin_work(Lane& lane, std::function<Result<void>()> work) {
  lane.working = std::async(std::launch::async, [this, device = lane.device, work = std::move(work)] {
    name_this_thread(("texts-" + std::to_string(device)).c_str());
    Result<void> done = device::use(device);
    try {
      if (done) done = work();
    } catch (const std::exception& thrown) {
      done = Error(Code::kUnavailable, thrown.what());
    }
    if (!done) turns_.fail(done.error());
    return done;
  });
}

Result<void> GpuTextInverter::end_work(Lane& lane) {
  return lane.working.valid() ? lane.working.get() : Result<void>();
}

// The first failure, if there was one.
Result<void> GpuTextInverter::end_all_work() {
  Result<void> all;
  for (const auto& lane : lanes_)
    if (Result<void> ended = end_work(*lane); !ended && all) all = std::move(ended);
  return all;
}

Result<void> GpuTextInverter::note_added(const SentBatch& batch, std::span<const std::uint32_t> lengths) {
  for (std::size_t piece = 0; piece < lengths.size(); ++piece)
    FROND_TRY(lengths_.add(batch.base + batch.pieces.numbers()[piece], lengths[piece]));
  note_terms();
  done_ = batch.end;
  done_block_.store(done_.block, std::memory_order_release);
  return {};
}

// A document of which only the CPU has a part gets its length when that part is cut: go_on_without_device() does it.
Result<void> GpuTextInverter::give_lengths() {
  if (cpu_ || texts_.empty()) return {};
  FROND_TRY(or_without_device(drain()));
  return cpu_ ? Result<void>() : lengths_.end();
}

Result<std::vector<runs::RunFile>> GpuTextInverter::flush() {
  if (!cpu_ && !texts_.empty()) {
    FROND_TRY(or_without_device(write_all()));
    if (!cpu_) {
      FROND_TRY(lengths_.end());
      texts_.drop_all();
      note_terms();
      if (memory_bytes() > kMinBytes) clear_terms();
    }
  }
  if (cpu_)
    for (runs::RunFile& run : FROND_TRY(cpu_->flush())) runs_.push_back(std::move(run));
  return std::exchange(runs_, {});
}

Result<std::unique_ptr<runs::PostingSlices>> GpuTextInverter::take_postings(std::uint64_t most) {
  std::unique_ptr<runs::PostingSlices> held;
  if (cpu_ || lanes_.empty() || flushes_ > 0) return held;
  std::vector<std::uint32_t> totals;
  const auto read_totals = [&]() -> Result<void> {
    FROND_TRY(drain());
    FROND_TRY(device::use(lanes_.front()->device));  // of this thread
    if (flushes_ == 0) totals = FROND_TRY(totals_of(*lanes_.front()->text));
    return {};
  };
  FROND_TRY(or_without_device(read_totals()));
  if (cpu_ || flushes_ > 0 || !base_ || term_bytes_ > most) return held;
  FROND_TRY(lengths_.end());
  texts_.drop_all();
  std::unique_ptr<DeviceText> text = std::move(lanes_.front()->text);
  const int device = lanes_.front()->device;
  lanes_.clear();
  held = std::make_unique<DevicePostings>(device, std::move(text), std::move(terms_), *base_, std::move(totals),
                                          term_bytes_);
  term_bytes_ = 0;
  return held;
}

Result<std::vector<std::uint32_t>> GpuTextInverter::totals_of(DeviceText& text) const {
  return text.run().totals(std::min(terms_->size(), text.capacity().terms));
}

Result<void> GpuTextInverter::write_all() {
  FROND_TRY(drain());
  return write_runs();
}

Result<void> GpuTextInverter::write_runs() {
  if (lanes_.empty() || !base_) return {};
  DeviceText& first = *lanes_.front()->text;
  const MutexLock lock(first.stages());
  return device::on_device(lanes_.front()->device, [&] { return write_runs_of(first); });
}

Result<void> GpuTextInverter::write_runs_of(DeviceText& from) {
  const std::vector<std::uint32_t> totals = FROND_TRY(totals_of(from));
  const std::vector<std::uint32_t> in_order = terms_->in_order(totals);
  const TermOrder order{in_order, totals};
  SlicedRuns runs(setup_.inverter.folder, setup_.inverter.label + "-" + std::to_string(flushes_),
                  setup_.inverter.partitions, setup_.inverter.frame_bytes, *base_, setup_.threads, terms_->numbers(),
                  order);
  SliceFiller slices(order, SlicedRuns::kSlicePostings,
                     [&runs](runs::PostingSlice slice) { return runs.add(std::move(slice)); });
  FROND_TRY(from.run().read(in_order, totals,
                            [&slices](auto numbers, auto frequencies) { return slices.add(numbers, frequencies); }));
  FROND_TRY(runs.finish(runs_));
  ++flushes_;
  written_ = done_;
  lengths_.note_written();
  texts_dropped_ = false;
  texts_.drop_to(written_);
  note_terms();
  return from.run().clear();
}

// Those of which the device has all, until so many bytes are left.
void GpuTextInverter::drop_done_texts(std::uint64_t left) {
  if (texts_.drop_before(done_block_.load(std::memory_order_acquire), left)) texts_dropped_ = true;
}

// The run is empty.
void GpuTextInverter::clear_terms() {
  terms_->clear();
  note_terms();
  ++terms_cleared_;
}

// All that no run has goes to the CPU.
Result<void> GpuTextInverter::go_on_without_device(const Error& why) {
  turns_.fail(why);
  Result<void> ended = end_all_work();  // what was done is known in done_ and written_
  if (!ended && ended.error().code() != Code::kDevice) return ended;
  if (texts_dropped_) return Error(Code::kDevice, "the GPU has lost postings: " + why.message());
  if (setup_.inverter.warn) setup_.inverter.warn("the GPU is not used any more: " + why.message());
  lanes_.clear();
  terms_->clear();
  filling_.pieces.clear();
  TextInverterSetup setup = setup_;
  setup.inverter.label += "-without-gpu";
  setup.take_length = [this](DocumentNumber number, std::uint32_t terms) {
    return lengths_.take_from_cpu(number, terms);
  };
  cpu_ = std::make_unique<CpuTextInverter>(std::move(setup));
  cpu_on_.store(true, std::memory_order_release);
  FROND_TRY(lengths_.go_on(/*is_new=*/written_.byte == 0));  // then the last document of the runs is whole
  return texts_.give_from(written_, [this](DocumentTexts texts, std::span<const DocumentNumber> numbers) {
    return cpu_->invert(std::move(texts), numbers);
  });
}

const TextInverterKind& gpu_text_inverter_kind() {
  static constexpr TextInverterKind kKind{"gpu-text", [](TextInverterSetup setup) -> std::unique_ptr<TextInverter> {
                                            return std::make_unique<GpuTextInverter>(std::move(setup));
                                          }};
  return kKind;
}

}  // namespace frond::indexer::invert::gpu
