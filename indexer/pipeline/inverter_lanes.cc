#include "indexer/pipeline/inverter_lanes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::uint64_t kWorthReturning = std::uint64_t{4} << 20;

}  // namespace

InverterLanes::InverterLanes(const Kinds& kinds, const MemoryPlan& plan, const MemoryBudget& budget,
                             const std::filesystem::path& folder)
    : budget_(budget),
      folder_(folder),
      run_prefix_(kinds.run_prefix),
      partitions_(kinds.partitions),
      frame_bytes_(plan.frame_bytes),
      keeps_bytes_(plan.limit / 2),
      lengths_(kinds.lengths) {
  FROND_CHECK(plan.gpu_inverters == 0 || kinds.gpu != nullptr);
  FROND_CHECK(plan.text_batch == 0 || kinds.texts != nullptr);
  for (std::uint32_t i = 0; i < plan.all_inverters(); ++i) {
    auto& lane = *lanes_.emplace_back(std::make_unique<Lane>());
    lane.inverter = make_inverter(kinds, plan, i);
    lane.queue = std::make_unique<BoundedQueue<Batch*>>(plan.batches + 2);  // two may order a flush
  }
}

InverterLanes::OneInverter InverterLanes::make_inverter(const Kinds& kinds, const MemoryPlan& plan,
                                                        std::size_t number) {
  const invert::InverterKind& kind = number < plan.inverters ? kinds.cpu : *kinds.gpu;
  const std::string_view name = plan.text_batch > 0 ? kinds.texts->name : kind.name;
  invert::InverterSetup setup{.folder = folder_,
                              .label = run_prefix_ + std::string(name) + std::to_string(number),
                              .partitions = kinds.partitions,
                              .budget = [&budget = budget_] { return budget.postings_of_one(); },
                              .frame_bytes = plan.frame_bytes,
                              .gpu = kinds.gpu_memory,
                              .warn = kinds.warn};
  setup.gpu.more_devices.resize(std::min<std::size_t>(setup.gpu.more_devices.size(), plan.text_devices - 1));
  if (plan.text_batch > 0) return {nullptr, make_text_inverter(kinds, plan, std::move(setup))};
  auto made = kind.make(std::move(setup));
  return {kinds.around ? kinds.around(std::move(made), number) : std::move(made), nullptr};
}

std::unique_ptr<invert::TextInverter> InverterLanes::make_text_inverter(const Kinds& kinds, const MemoryPlan& plan,
                                                                        invert::InverterSetup setup) {
  // Lengths come by ascending number, so those of a partition by ascending docID.
  auto take_length = [this, &lengths = kinds.lengths](invert::DocumentNumber number, std::uint32_t terms) {
    text_tokens_ += terms;
    return lengths[number % lengths.size()].add(terms);
  };
  return kinds.texts->make({.inverter = std::move(setup),
                            .analyzer = kinds.analyzer,
                            .take_length = std::move(take_length),
                            .threads = plan.parsers,
                            .table_bits = plan.table_bits,
                            .max_text = plan.text_batch});
}

bool InverterLanes::push(Batch& batch, std::stop_token stop) {
  return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->queue->push(&batch, stop); });
}

void InverterLanes::close(std::uint64_t keep) {
  keep_ = keep;
  for (const auto& lane : lanes_) lane->queue->close();
}

bool InverterLanes::any_holds_more(std::uint64_t bytes) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&](const auto& lane) { return lane->inverter.memory_bytes() > bytes; });
}

void InverterLanes::flush_above(std::uint64_t bytes, std::stop_token stop) {
  const MutexLock order(order_mutex_);
  if (!any_holds_more(bytes)) return;
  if (const std::uint64_t given = give_order(stop); given != 0) (void)wait_for_flush(given, stop);
}

std::uint64_t InverterLanes::order_flush(std::stop_token stop) {
  const MutexLock order(order_mutex_);
  return give_order(std::move(stop));
}

std::uint64_t InverterLanes::give_order(std::stop_token stop) {
  ++orders_;
  for (const auto& lane : lanes_)
    if (!lane->queue->push(nullptr, stop)) return 0;
  return orders_;
}

bool InverterLanes::has_flushed(std::uint64_t order) {
  const MutexLock lock(flushed_mutex_);
  return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->flushes >= order; });
}

bool InverterLanes::wait_for_flush(std::uint64_t order, std::stop_token stop) {
  MutexLock lock(flushed_mutex_);
  return flushed_.wait(flushed_mutex_, stop, [&] {
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->flushes >= order; });
  });
}

std::uint64_t InverterLanes::text_tokens_before(std::uint64_t order) {
  const MutexLock lock(flushed_mutex_);
  text_tokens_before_.erase(text_tokens_before_.begin(), text_tokens_before_.lower_bound(order));
  const auto found = text_tokens_before_.find(order);
  return found == text_tokens_before_.end() ? 0 : found->second;
}

Result<void> InverterLanes::carry_out_flush(Lane& lane) {
  if (lane.inverter.texts) {
    FROND_TRY(lane.inverter.texts->give_lengths());
    for (runs::LengthsWriter& lengths : lengths_) FROND_TRY(lengths.flush());
    const MutexLock lock(flushed_mutex_);
    text_tokens_before_[lane.flushes + 1] = text_tokens_;
  }
  return flush(lane);
}

// Memory that is returned and taken again costs a page fault for each 4 KiB.
void InverterLanes::release_memory() const {
  if (resident_bytes() > keeps_bytes_) release_unused_memory();
}

Result<void> InverterLanes::flush(Lane& lane) {
  const OneInverter& inverter = lane.inverter;
  std::vector<runs::RunFile> runs = FROND_TRY(inverter.texts ? inverter.texts->flush() : inverter.tokens->flush());
  release_memory();
  const MutexLock lock(flushed_mutex_);
  ++lane.flushes;
  for (runs::RunFile& run : runs) lane.runs.push_back({lane.flushes, std::move(run)});
  flushed_.notify_all();
  return {};
}

std::vector<runs::RunFile> InverterLanes::take_runs(std::uint64_t order) {
  const MutexLock lock(flushed_mutex_);
  std::vector<runs::RunFile> all;
  for (const auto& lane : lanes_) {
    const auto end =
        std::find_if(lane->runs.begin(), lane->runs.end(), [&](const Flushed& one) { return one.order > order; });
    for (auto one = lane->runs.begin(); one != end; ++one) all.push_back(std::move(one->run));
    lane->runs.erase(lane->runs.begin(), end);
  }
  return all;
}

std::uint64_t InverterLanes::memory_bytes() const {
  std::uint64_t all = 0;
  for (const auto& lane : lanes_) all += lane->inverter.memory_bytes();
  return all;
}

std::uint64_t InverterLanes::unspilled_bytes() const {
  std::uint64_t all = 0;
  for (const auto& lane : lanes_)
    if (lane->in_memory || lane->slices) all += lane->unspilled_bytes;
  return all;
}

bool InverterLanes::has_runs() {
  const MutexLock lock(flushed_mutex_);
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return !lane->runs.empty(); });
}

Result<std::vector<std::unique_ptr<invert::InMemoryPostings>>> InverterLanes::take_in_memory() {
  const bool all =
      std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->in_memory != nullptr; });
  std::vector<std::unique_ptr<invert::InMemoryPostings>> taken;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[i];
    if (!lane.in_memory) continue;
    if (all) {
      taken.push_back(std::move(lane.in_memory));
      continue;
    }
    // Another inverter has runs after all, and they are merged with runs only.
    invert::PartitionRuns runs(folder_, run_prefix_ + "last" + std::to_string(i), partitions_, frame_bytes_);
    FROND_TRY(lane.in_memory->write_runs(runs));
    std::vector<runs::RunFile> written;
    FROND_TRY(runs.finish(written));
    lane.in_memory.reset();
    const MutexLock lock(flushed_mutex_);
    for (runs::RunFile& run : written) lane.runs.push_back({lane.flushes, std::move(run)});
  }
  return taken;
}

std::unique_ptr<runs::PostingSlices> InverterLanes::take_slices() { return std::move(lanes_.front()->slices); }

Result<void> InverterLanes::invert(Lane& lane, std::size_t number, Batch& batch) {
  const OneInverter& inverter = lane.inverter;
  if (inverter.texts) return inverter.texts->invert(std::move(batch.parsed.texts), batch.numbers);
  return inverter.tokens->invert(batch.parsed.tokens, batch.shares[number], batch.numbers);
}

Result<void> InverterLanes::run(std::size_t number, BatchPool& pool, std::stop_token stop) {
  Lane& lane = *lanes_[number];
  FROND_TRY(run_batches(lane, number, pool, stop));
  return stop.stop_requested() ? Result<void>() : end(lane);
}

Result<void> InverterLanes::run_batches(Lane& lane, std::size_t number, BatchPool& pool, const std::stop_token& stop) {
  while (const std::optional<Batch*> item = lane.queue->pop(stop)) {
    Batch* const batch = *item;
    if (batch == nullptr) {
      FROND_TRY(carry_out_flush(lane));
      continue;
    }
    const std::uint64_t before = lane.inverter.memory_bytes();
    FROND_TRY(invert(lane, number, *batch));
    if (lane.inverter.memory_bytes() + kWorthReturning < before) release_memory();
    if (--batch->readers_left == 0) pool.release(*batch);
  }
  return {};
}

Result<void> InverterLanes::end(Lane& lane) {
  const OneInverter& inverter = lane.inverter;
  const std::uint64_t most = keep_;
  if (most > 0 && inverter.tokens) {
    // Batches may have come since the sequencer saw that it is little enough.
    lane.unspilled_bytes = lane.inverter.memory_bytes();
    if ((would_keep_ += lane.unspilled_bytes) <= most) lane.in_memory = inverter.tokens->take_postings();
  } else if (most > 0) {
    lane.slices = FROND_TRY(inverter.texts->take_postings(most));
    if (lane.slices) lane.unspilled_bytes = lane.slices->memory_bytes();
  }
  return lane.in_memory || lane.slices ? Result<void>() : flush(lane);
}

}  // namespace frond::indexer::pipeline
