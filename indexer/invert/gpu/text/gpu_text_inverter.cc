#include "indexer/invert/gpu/text/gpu_text_inverter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/device_postings.h"
#include "indexer/invert/gpu/text/run_slices.h"

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

Result<void> GpuTextInverter::invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) {
  TextBlock block{std::move(texts), {numbers.begin(), numbers.end()}};
  const std::uint64_t bytes = block.bytes(), most = std::max(kMinBytes, setup_.inverter.budget());
  const auto fits = [&] { return memory_bytes() + bytes <= most; };
  drop_done_texts();
  if (!fits()) {
    FROND_TRY(end_all_work());
    drop_done_texts();
  }
  if (!texts_.empty() && !fits()) {
    FROND_TRY(write_all());
    drop_done_texts();
    if (memory_bytes() > most / 2) clear_terms();
  }
  const TextBlocks::Added added = texts_.add(std::move(block));
  return take(added.block, added.number);
}

// `block` stays where it is until the device has all of it.
Result<void> GpuTextInverter::take(const TextBlock& block, std::uint64_t number) {
  if (lanes_.empty()) FROND_TRY(make_devices());
  is_pinned_ = parse::pin_large_pages(block.texts.bytes.data(), pinning_);
  for (std::size_t i = 0; i < block.numbers.size(); ++i) {
    const DocumentNumber document = block.numbers[i];
    if (document == kDropped) continue;
    if (base_ && document - *base_ >= kMaxRunDocuments) {
      FROND_TRY(write_all());
      base_.reset();
    }
    if (!base_) base_ = document;
    FROND_TRY(take_document(block.texts.of(i), document, number));
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
Result<void> GpuTextInverter::take_document(std::string_view text, DocumentNumber number, std::uint64_t block) {
  const TextCapacity& capacity = lanes_.front()->text->capacity();
  while (!text.empty()) {
    const TextPieces& pieces = filling_.pieces;
    if (text.size() <= capacity.text - pieces.bytes() && pieces.numbers().size() < capacity.pieces) {
      put(text, number, block);
      return {};
    }
    if (!pieces.empty()) {
      FROND_TRY(submit());
    } else if (const std::size_t end = end_of_words(text, capacity.text); end > 0) {
      put(text.substr(0, end), number, block);
      text.remove_prefix(end);
    } else {
      const std::size_t long_end = end_of_word(text, capacity.text);
      FROND_TRY(take_long_words(text.substr(0, long_end), number, block));
      text.remove_prefix(long_end);
    }
  }
  return {};
}

void GpuTextInverter::put(std::string_view piece, DocumentNumber number, std::uint64_t block) {
  filling_.pieces.put(piece, static_cast<std::uint32_t>(number - *base_), is_pinned_);
  filling_.base = *base_;
  filling_.block = block;
}

// A text without a space that does not fit into a batch: the host cuts it. Nothing is being filled.
Result<void> GpuTextInverter::take_long_words(std::string_view words, DocumentNumber number, std::uint64_t block) {
  FROND_TRY(drain());
  Lane& lane = next_lane();
  FROND_TRY(device::use(lane.device));  // of this thread
  SentBatch batch{.base = *base_, .block = block, .place = next_place(), .number = batches_++};
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
  done_block_.store(batch.block, std::memory_order_release);
  return {};
}

Result<void> GpuTextInverter::give_lengths() {
  FROND_TRY(drain());
  return lengths_.end();
}

Result<std::vector<runs::RunFile>> GpuTextInverter::flush() {
  if (!texts_.empty()) {
    FROND_TRY(write_all());
    FROND_TRY(lengths_.end());
    texts_.drop_all();
    if (memory_bytes() > kMinBytes) clear_terms();
  }
  return std::exchange(runs_, {});
}

Result<std::unique_ptr<runs::PostingSlices>> GpuTextInverter::take_postings(std::uint64_t most) {
  std::unique_ptr<runs::PostingSlices> held;
  if (lanes_.empty() || flushes_ > 0) return held;
  FROND_TRY(drain());
  FROND_TRY(device::use(lanes_.front()->device));  // of this thread
  if (flushes_ > 0 || !base_ || term_bytes_ > most) return held;
  std::vector<std::uint32_t> totals = FROND_TRY(totals_of(*lanes_.front()->text));
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
  RunSlices runs(setup_.inverter.folder, setup_.inverter.label + "-" + std::to_string(flushes_),
                 setup_.inverter.partitions, setup_.inverter.frame_bytes, *base_, setup_.threads, terms_->numbers(),
                 order);
  SliceFiller slices(order, RunSlices::kSlicePostings,
                     [&runs](runs::PostingSlice slice) { return runs.add(std::move(slice)); });
  FROND_TRY(from.run().read(in_order, totals,
                            [&slices](auto numbers, auto frequencies) { return slices.add(numbers, frequencies); }));
  FROND_TRY(runs.finish(runs_));
  ++flushes_;
  note_terms();
  return from.run().clear();
}

// The run is empty.
void GpuTextInverter::clear_terms() {
  terms_->clear();
  note_terms();
  ++terms_cleared_;
}

const TextInverterKind& gpu_text_inverter_kind() {
  static constexpr TextInverterKind kKind{"gpu-text", [](TextInverterSetup setup) -> std::unique_ptr<TextInverter> {
                                            return std::make_unique<GpuTextInverter>(std::move(setup));
                                          }};
  return kKind;
}

}  // namespace frond::indexer::invert::gpu
