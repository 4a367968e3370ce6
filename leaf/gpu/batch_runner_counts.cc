// How a runner counts, and finds the first in an order: the same workspace, stream and way of waiting as for hits, and
// other kernels (counts/).
#include <algorithm>
#include <cstring>

#include "leaf/gpu/batch_runner.h"
#include "leaf/gpu/counts/kernels.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {

std::size_t BatchRunner::counted_part_of(std::span<const ReadyPlan* const> plans) const {
  std::size_t lists = 0, columns = 0, counters = 0, bounds = 0, hits = 0;
  std::uint32_t queries = 0, documents = 0;
  const Orders orders = orders_of(*plans.front()->plan);
  for (const ReadyPlan* ready : plans) {
    const engine::Plan& plan = *ready->plan;
    lists += ready->lists.size();
    columns += ready->codes.size();
    counters += counters_of(plan);
    bounds += bounds_of(plan);
    documents = std::max(documents, ready->lists.front()->documents);
    if (plan.order) hits = std::max<std::size_t>(hits, plan.k);
    ++queries;
    const bool fits = queries <= kMaxQueries && lists <= kMaxTerms && columns <= kMaxCountedColumns &&
                      bounds <= kMaxBounds &&
                      space_.has_room(counters, orders, queries, pieces_of(queries, documents, orders).pieces, hits);
    if (!fits && queries > 1) return queries - 1;
  }
  return queries;
}

Result<void> BatchRunner::start_counting(std::span<const ReadyPlan* const> plans) {
  const SteadyTime from = std::chrono::steady_clock::now();
  CountBatch batch = count_builder_.build(plans, space_.input.data());
  const ByteView input = count_builder_.bytes();
  if (input.size() > BatchWorkspace::kInputBytes ||
      !space_.has_room(batch.counter_count, orders_of(*plans.front()->plan), batch.query_count, batch.pieces,
                       batch.most_hits))
    return Error(Code::kOverloaded, "a batch too large for its workspace");
  std::memcpy(space_.staged_input.data(), input.data(), input.size());
  space_.attach(batch);
  batch.launch = ++launch_;
  const device::StreamHandle stream = space_.stream.get();
  on_device_ = true;
  staged_ = std::chrono::steady_clock::now();
  times_.build_us += us_between(from, staged_);
  ++times_.launches;
  FROND_TRY(space_.mark(0));
  FROND_TRY(counts::start_counts(batch, stream));
  FROND_TRY(space_.mark(1));
  FROND_TRY(counts::count_documents(batch, stream));
  FROND_TRY(space_.mark(2));
  FROND_TRY(counts::deliver_counts(batch, stream));
  FROND_TRY(space_.mark(3));
  FROND_TRY(space_.ended.record(stream));
  ++steps_.parts;
  steps_.microseconds[BatchSteps::kBuild] += us_between(from, std::chrono::steady_clock::now());
  return {};
}

// Of the part on the device, which has ended.
void BatchRunner::take_counts(std::span<const ReadyPlan* const> plans, std::span<RunOutcome> outcomes) const {
  const std::uint32_t* first = space_.counted();  // of a plan's counters
  std::size_t counters = 0;
  std::uint32_t most_hits = 0;
  for (const ReadyPlan* ready : plans) {
    counters += counters_of(*ready->plan);
    if (ready->plan->order) most_hits = std::max(most_hits, ready->plan->k);
  }
  const bool scored = orders_of(*plans.front()->plan) == Orders::kByScores;
  const DocId* const docids = first + counters;
  const scoring::Score* const scores = docids + plans.size() * most_hits;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    RunOutcome& one = outcomes[i];
    one.answered = true;
    one.outcome.matches = space_.answers()[i].matches;
    std::size_t next = 0;
    for (const engine::CountedCodes& counted : plans[i]->plan->counted) {
      next = first_counter_of(counted, next);
      one.outcome.counts.emplace_back(first + next, first + next + counted.counters());
      next += counted.counters();
    }
    first += counters_of(*plans[i]->plan);
    for (const auto& list : plans[i]->lists) one.outcome.postings_decoded += list->list.count;
    for (std::size_t hit = i * most_hits; hit < i * most_hits + space_.answers()[i].found; ++hit)
      one.outcome.hits.push_back({plans[i]->plan->placement.ordinal(docids[hit]), scored ? scores[hit] : 0});
  }
}

}  // namespace frond::leaf::gpu
