#include "indexer/pipeline/inverter_lanes.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/invert/held_postings.h"
#include "indexer/pipeline/memory.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::pipeline {
namespace {

constexpr std::uint64_t kWorthReturning = std::uint64_t{4} << 20;

}  // namespace

InverterLanes::InverterLanes(const Kinds& kinds, const MemoryPlan& plan, const MemoryBudget& budget,
                             const std::filesystem::path& folder)
    : folder_(folder), run_prefix_(kinds.run_prefix), frame_bytes_(plan.frame_bytes) {
  FROND_CHECK(plan.gpu_inverters == 0 || kinds.gpu != nullptr);
  FROND_CHECK(plan.text_batch == 0 || kinds.texts != nullptr);
  for (std::uint32_t i = 0; i < plan.all_inverters(); ++i) {
    auto& lane = *lanes_.emplace_back(std::make_unique<Lane>());
    const invert::InverterKind& kind = i < plan.inverters ? kinds.cpu : *kinds.gpu;
    const std::string_view name = plan.text_batch > 0 ? kinds.texts->name : kind.name;
    invert::InverterSetup setup{.folder = folder,
                                .label = kinds.run_prefix + std::string(name) + std::to_string(i),
                                .partitions = kinds.partitions,
                                .budget = [&budget] { return budget.postings_of_one(); },
                                .frame_bytes = plan.frame_bytes,
                                .gpu = kinds.gpu_memory,
                                .warn = kinds.warn};
    if (plan.text_batch > 0) {
      lane.texts = make_text_inverter(kinds, plan, std::move(setup));
    } else {
      lane.inverter = kind.make(std::move(setup));
      if (kinds.around) lane.inverter = kinds.around(std::move(lane.inverter), i);
    }
    lane.queue = std::make_unique<BoundedQueue<Batch*>>(plan.batches + 2);  // two may order a flush
  }
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

void InverterLanes::close(bool hold) {
  hold_ = hold;
  for (const auto& lane : lanes_) lane->queue->close();
}

bool InverterLanes::any_holds_more(std::uint64_t bytes) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->memory_bytes() > bytes; });
}

void InverterLanes::flush_above(std::uint64_t bytes, std::stop_token stop) {
  const MutexLock order(order_mutex_);
  if (any_holds_more(bytes)) order_flush(std::move(stop));
}

bool InverterLanes::flush_all(std::stop_token stop) {
  const MutexLock order(order_mutex_);
  return order_flush(std::move(stop));
}

bool InverterLanes::order_flush(std::stop_token stop) {
  ++orders_;
  for (const auto& lane : lanes_)
    if (!lane->queue->push(nullptr, stop)) return false;
  MutexLock lock(flushed_mutex_);
  return flushed_.wait(flushed_mutex_, stop, [&, ordered = orders_] {
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->flushes >= ordered; });
  });
}

Result<void> InverterLanes::flush(Lane& lane) {
  std::vector<runs::RunFile> runs = FROND_TRY(lane.texts ? lane.texts->flush() : lane.inverter->flush());
  release_unused_memory();
  const MutexLock lock(flushed_mutex_);
  lane.runs.insert(lane.runs.end(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
  return {};
}

std::vector<runs::RunFile> InverterLanes::take_runs() {
  const MutexLock lock(flushed_mutex_);
  std::vector<runs::RunFile> all;
  for (const auto& lane : lanes_) {
    all.insert(all.end(), std::make_move_iterator(lane->runs.begin()), std::make_move_iterator(lane->runs.end()));
    lane->runs.clear();
  }
  return all;
}

std::uint64_t InverterLanes::memory_bytes() const {
  std::uint64_t all = 0;
  for (const auto& lane : lanes_) all += lane->memory_bytes();
  return all;
}

std::uint64_t InverterLanes::held_bytes() const {
  std::uint64_t all = 0;
  for (const auto& lane : lanes_)
    if (lane->held) all += lane->held_bytes;
  return all;
}

bool InverterLanes::has_runs() {
  const MutexLock lock(flushed_mutex_);
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return !lane->runs.empty(); });
}

Result<std::unique_ptr<runs::PostingSource>> InverterLanes::take_held() {
  const bool all_held =
      std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->held != nullptr; });
  std::vector<std::unique_ptr<runs::PostingSource>> held;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[i];
    if (!lane.held) continue;
    if (all_held) {
      held.push_back(std::move(lane.held));
      continue;
    }
    // Another inverter has runs after all, and they are merged with runs only.
    const auto path = folder_ / (run_prefix_ + "held" + std::to_string(i) + ".run");
    runs::RunFile run = FROND_TRY(runs::write_run(*lane.held, path, /*partition=*/0, frame_bytes_));
    lane.held.reset();
    const MutexLock lock(flushed_mutex_);
    if (run.postings > 0) lane.runs.push_back(std::move(run));
  }
  if (held.empty()) return std::unique_ptr<runs::PostingSource>();
  return invert::joined(std::move(held));
}

Result<void> InverterLanes::invert(Lane& lane, std::size_t number, Batch& batch) {
  if (lane.texts) return lane.texts->invert(std::move(batch.parsed.texts), batch.numbers);
  return lane.inverter->invert(batch.parsed.tokens, batch.shares[number], batch.numbers);
}

Result<void> InverterLanes::run(std::size_t number, BatchPool& pool, std::stop_token stop) {
  Lane& lane = *lanes_[number];
  while (const std::optional<Batch*> item = lane.queue->pop(stop)) {
    Batch* const batch = *item;
    if (batch == nullptr) {
      FROND_TRY(flush(lane));
      const MutexLock lock(flushed_mutex_);
      ++lane.flushes;
      flushed_.notify_all();
      continue;
    }
    const std::uint64_t before = lane.memory_bytes();
    FROND_TRY(invert(lane, number, *batch));
    if (lane.memory_bytes() + kWorthReturning < before) release_unused_memory();
    if (--batch->inverters_left == 0) pool.release(*batch);
  }
  if (stop.stop_requested()) return {};
  return end(lane);
}

Result<void> InverterLanes::end(Lane& lane) {
  if (hold_ && lane.inverter) {
    lane.held_bytes = lane.memory_bytes();
    lane.held = lane.inverter->hold();
  }
  return lane.held ? Result<void>() : flush(lane);
}

}  // namespace frond::indexer::pipeline
