#include "leaf/gpu/counts/count_builder.h"

#include <algorithm>

#include "leaf/gpu/plain_data.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

// A batch is cut into about so many thread blocks, of at most so many documents each: more blocks than a device runs at
// a time, and each adds its counters up once.
constexpr std::uint32_t kWantedBlocks = 4096, kMostDocuments = 1u << 21;
constexpr std::uint32_t kWantedOrderedBlocks = 1024;  // twice as many as a device runs at a time

bool is_dense(const DeviceList& list) { return list.marks_shift == 0; }
const std::byte* bytes_of(const ResidentArray& array) { return reinterpret_cast<const std::byte*>(array.words); }

}  // namespace

std::size_t counters_of(const engine::Plan& plan) {
  std::size_t counters = 0;
  for (const auto& counted : plan.counted) counters = first_counter_of(counted, counters) + counted.counters();
  return counters + counters % 2;
}

std::size_t bounds_of(const engine::Plan& plan) {
  std::size_t bounds = 0;
  for (const auto& counted : plan.counted) bounds += counted.bounds.size();
  return bounds;
}

Orders orders_of(const engine::Plan& plan) {
  if (!plan.order) return Orders::kNone;
  return plan.order->has_score() ? Orders::kByScores : Orders::kByColumns;
}

Pieces pieces_of(std::uint32_t queries, std::uint32_t documents, Orders orders) {
  const std::uint32_t tile = tile_documents(orders);
  const std::uint32_t tiles = (std::max(documents, 1u) - 1) / tile + 1;
  const std::uint32_t wanted = orders == Orders::kNone ? kWantedBlocks : kWantedOrderedBlocks;
  const std::uint32_t pieces = std::clamp(wanted / queries, 1u, tiles);
  const std::uint32_t tiles_a_piece = std::min((tiles + pieces - 1) / pieces, kMostDocuments / tile);
  return {(tiles + tiles_a_piece - 1) / tiles_a_piece, tiles_a_piece};
}

bool fits_counters(const engine::Plan& plan) {
  const bool fits_order =
      !plan.order || (plan.k > 0 && plan.k <= kMaxHits && plan.order->bits() <= engine::CodeOrder::kMostBits);
  return fits_order && counters_of(plan) <= kMaxCounters && bounds_of(plan) <= kMaxBounds && !plan.terms.empty() &&
         plan.terms.size() <= kMaxQueryTerms && std::ranges::all_of(plan.terms, [](const engine::PlanTerm& term) {
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
                      .sums = std::ranges::any_of(plan.counted, &engine::CountedCodes::sums),
                      .conjunction = plan.mode == engine::Mode::kAnd});
  std::size_t counter = 0;
  std::size_t next = 0;  // of ready.codes, which are in the order of codes_of()
  for (const engine::CountedCodes& counted : plan.counted) {
    const std::byte* const codes = bytes_of(*ready.codes[next++]);
    counter = first_counter_of(counted, counter);
    columns_.push_back({.codes = codes,
                        .places = counted.codes->places() != nullptr ? ready.codes[next++]->words : nullptr,
                        .width = counted.codes->width(),
                        .first_counter = static_cast<std::uint32_t>(counter),
                        .first_bound = static_cast<std::uint32_t>(bounds_.size()),
                        .bounds = static_cast<std::uint32_t>(counted.bounds.size()),
                        .sums = counted.sums});
    bounds_.insert(bounds_.end(), counted.bounds.begin(), counted.bounds.end());
    counter += counted.counters();
  }
  counters_ += queries_.back().counters;
  if (plan.order) add_order(ready, next);
}

void CountBuilder::add_order(const ReadyPlan& ready, std::size_t first_codes) {
  const engine::CodeOrder& order = *ready.plan->order;
  CountedQuery& query = queries_.back();
  query.k = ready.plan->k;
  query.first_key = static_cast<std::uint32_t>(keys_.size());
  query.keys = static_cast<std::uint32_t>(order.keys.size());
  query.last_first = order.last_first;
  query.after_key = order.after_key;
  query.after_tie = order.after_tie;
  for (const engine::CodeKey& key : order.keys)
    keys_.push_back({.codes = key.is_score() ? nullptr : bytes_of(*ready.codes[first_codes++]),
                     .end = key.end(),
                     .missing = key.part(0),
                     .width = key.is_score() ? 0 : key.codes->width(),
                     .bits = key.bits(),
                     .descending = key.descending});
  if (order.has_score()) add_scored(ready);
}

void CountBuilder::add_scored(const ReadyPlan& ready) {
  const engine::Plan& plan = *ready.plan;
  QueryOnDevice& query = scored_.emplace_back();
  query.lengths = ready.lengths->lengths;
  query.norm = plan.norm;
  if (ready.priors) query.priors = ready.priors->words;
  query.prior_weight = plan.prior_weight;
  query.first_term = static_cast<std::uint32_t>(terms_.size());
  query.terms = static_cast<std::uint32_t>(plan.terms.size());
  for (std::size_t i = 0; i < plan.terms.size(); ++i)
    terms_.push_back({.list = ready.lists[i]->list,
                      .bounds = plan.terms[i].bounds,
                      .weight = plan.terms[i].weight,
                      .max_score = 0,
                      .max_rest = 0});
}

CountBatch CountBuilder::build(std::span<const ReadyPlan* const> plans, const std::byte* base) {
  queries_.clear();
  lists_.clear();
  columns_.clear();
  bounds_.clear();
  keys_.clear();
  scored_.clear();
  terms_.clear();
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
    batch.most_hits = std::max(batch.most_hits, query.k);
  }
  const Pieces cut = pieces_of(batch.query_count, documents, orders_of(*plans.front()->plan));
  batch.pieces = cut.pieces;
  batch.tiles_a_piece = cut.tiles_a_piece;
  batch.codecs = kNoCodecs;
  for (const DeviceList& list : lists_) batch.codecs = for_both(batch.codecs, list.codecs);
  if (batch.codecs == kNoCodecs) batch.codecs = kPackedCodecs;
  batch.queries = place(queries_, base, bytes_);
  batch.lists = place(lists_, base, bytes_);
  batch.columns = place(columns_, base, bytes_);
  batch.bounds = place(bounds_, base, bytes_);
  batch.keys = place(keys_, base, bytes_);
  if (!scored_.empty()) {
    batch.scored = place(scored_, base, bytes_);
    batch.terms = place(terms_, base, bytes_);
  }
  batch.input_bytes = static_cast<std::uint32_t>(bytes_.size());
  return batch;
}

}  // namespace frond::leaf::gpu
