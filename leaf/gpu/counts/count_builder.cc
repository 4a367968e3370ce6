#include "leaf/gpu/counts/count_builder.h"

#include <algorithm>

#include "leaf/gpu/plain_data.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

// A batch is cut into about so many thread blocks, of at most so many tiles each: more blocks than a device runs at a
// time, and each adds its counters up once.
constexpr std::uint32_t kWantedBlocks = 4096, kMostTiles = 32;

bool is_dense(const DeviceList& list) { return list.marks_shift == 0; }

}  // namespace

std::size_t counters_of(const engine::Plan& plan) {
  std::size_t counters = 0;
  for (const auto& codes : plan.counted) counters += codes->codes();
  return counters;
}

bool fits_counters(const engine::Plan& plan) {
  return counters_of(plan) <= kMaxCounters && !plan.terms.empty() && plan.terms.size() <= kMaxQueryTerms &&
         std::ranges::all_of(plan.terms, [](const engine::PlanTerm& term) {
           return term.on_device || term.list->postings.count() > 0;
         });
}

void CountBuilder::add(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  const auto first_list = static_cast<std::uint32_t>(lists_.size());
  for (const auto& list : ready.lists) lists_.push_back(list->list);
  const auto own = std::span(lists_).subspan(first_list);
  std::ranges::stable_sort(own, [](const DeviceList& a, const DeviceList& b) {
    return is_dense(a) != is_dense(b) ? is_dense(a) : a.count < b.count;
  });
  queries_.push_back({.hidden = ready.hidden ? ready.hidden->words : nullptr,
                      .documents = ready.lists.front()->documents,
                      .first_list = first_list,
                      .lists = static_cast<std::uint32_t>(own.size()),
                      .dense = static_cast<std::uint32_t>(std::ranges::count_if(own, is_dense)),
                      .first_column = static_cast<std::uint32_t>(columns_.size()),
                      .columns = static_cast<std::uint32_t>(plan.counted.size()),
                      .first_counter = counters_,
                      .counters = static_cast<std::uint32_t>(counters_of(plan)),
                      .conjunction = plan.mode == engine::Mode::kAnd});
  std::uint32_t counter = 0;
  for (std::size_t i = 0; i < plan.counted.size(); ++i) {
    columns_.push_back({reinterpret_cast<const std::byte*>(ready.codes[i]->words), plan.counted[i]->width(), counter});
    counter += plan.counted[i]->codes();
  }
  counters_ += counter;
}

CountBatch CountBuilder::build(std::span<const ReadyPlan* const> plans, const std::byte* base) {
  queries_.clear();
  lists_.clear();
  columns_.clear();
  bytes_.clear();
  counters_ = 0;
  for (const ReadyPlan* ready : plans) add(*ready);
  CountBatch batch{};
  batch.query_count = static_cast<std::uint32_t>(queries_.size());
  batch.counter_count = counters_;
  std::uint32_t documents = 1;
  for (const CountedQuery& query : queries_) {
    documents = std::max(documents, query.documents);
    batch.most_counters = std::max(batch.most_counters, query.counters);
  }
  const std::uint32_t tiles = (documents - 1) / kTileDocuments + 1;
  const std::uint32_t pieces = std::clamp(kWantedBlocks / batch.query_count, 1u, tiles);
  batch.tiles_a_piece = std::min((tiles + pieces - 1) / pieces, kMostTiles);
  batch.pieces = (tiles + batch.tiles_a_piece - 1) / batch.tiles_a_piece;
  batch.codecs = kNoCodecs;
  for (const DeviceList& list : lists_) batch.codecs = for_both(batch.codecs, list.codecs);
  if (batch.codecs == kNoCodecs) batch.codecs = kPackedCodecs;
  batch.queries = place(queries_, base, bytes_);
  batch.lists = place(lists_, base, bytes_);
  batch.columns = place(columns_, base, bytes_);
  batch.input_bytes = static_cast<std::uint32_t>(bytes_.size());
  return batch;
}

}  // namespace frond::leaf::gpu
