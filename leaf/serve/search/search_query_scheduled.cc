// A search on a leaf with a GPU: its plans go to the QueryScheduler, which runs them or gives them back.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "leaf/serve/search/search_parts.h"
#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {

// True: the scheduler has the search, or it is over. False: it runs here.
bool SearchQuery::submit_to_scheduler() {
  using Admitted = schedule::QueryScheduler::Admitted;
  if (!make_plans() || todo_.empty()) return false;
  const schedule::QueryFeatures known = features();
  scheduled_.costs = parts_.queries->predict(known);
  if (has_clause() && collects()) add_counting(scheduled_.costs, known.postings);
  if (has_phrase()) add_looking(scheduled_.costs, known);
  scheduled_.deadline = deadline_;
  scheduled_.client = client();
  scheduled_.for_gpu = may_use_gpu();
  scheduled_.for_cpu = !scheduled_.for_gpu || request_.processor != wire::Processor::kGpu;
  scheduled_.submitted = parts_.clock.now();
  if (profiled_) profile_submit();
  const bool begun = mode_ == engine::Mode::kOr && has_and_;
  const Admitted admitted = parts_.queries->submit(std::shared_ptr<schedule::Query>(shared_from_this(), &scheduled_));
  if (admitted == Admitted::kYes) return true;
  if (begun || admitted == Admitted::kClosed) return false;  // its work is half done
  fail_todo(wire::UnsearchedReason::kOverloaded);
  wave_done();
  return true;
}

// Counting looks at every match, and so does an order. Microseconds a posting, and on the CPU a value, measured
// roughly: it only decides where such a query runs, and observed times correct it.
void SearchQuery::add_counting(schedule::PredictedCosts& costs, std::uint64_t postings) const {
  constexpr double kCpuUs = 1e-3, kGpuUs = 1e-5;
  const auto all = static_cast<double>(postings);
  costs.cpu.us =
      std::max(costs.cpu.us, all * kCpuUs * static_cast<double>(1 + wanted_.facets.size() + wanted_.sort.size()));
  costs.gpu.us = std::max(costs.gpu.us, all * kGpuUs);
}

// A phrase is looked for in the sequences of the documents with all its words. Words of phrases stand together far more
// often than by chance: the geometric mean of the documents that have all by chance and those of the shortest list,
// which are the most. Microseconds for each, roughly, as above.
void SearchQuery::add_looking(schedule::PredictedCosts& costs, const schedule::QueryFeatures& known) {
  constexpr double kCpuUs = 0.1, kGpuUs = 1e-3;
  const double all = std::sqrt(known.expected_matches() * static_cast<double>(known.shortest));
  costs.cpu.us += all * kCpuUs;
  costs.gpu.us += all * kGpuUs;
}

// What a GPU is to count in the partitions of todo_ for the facets, if the wave wants them, and to order hits by.
// False: it cannot.
bool SearchQuery::collect_on_device() {
  return std::ranges::all_of(todo_, [this](Slot* slot) { return collect_on_device(*slot); });
}

bool SearchQuery::collect_on_device(Slot& slot) const {
  slot.facets_on_device.reset();
  slot.order_on_device.reset();
  if (!collects()) return true;
  if (parts_.keywords == nullptr) return false;
  const generation::OpenPartition& open = *slot.partition->open;
  const clauses::OpenedPartition opened(open.partition());
  if (counts_facets()) {
    slot.facets_on_device = collect::DeviceFacets::make(wanted_.facets, schema(), opened, open.number(),
                                                        *parts_.keywords, deadline_, parts_.clock);
    if (!slot.facets_on_device) return false;
  }
  if (!sorts() || depth() == 0) return true;
  slot.order_on_device =
      collect::DeviceOrder::make({wanted_.sort, wanted_.after, schema(), *parts_.keywords, deadline_, parts_.clock},
                                 opened, open.number(), slot.partition->placement, most_score(*slot.partition));
  return slot.order_on_device.has_value();
}

// What a wave needs of the partitions of todo_ by document: sequences to look for a phrase in, lengths in fields.
// False: a partition's sequences cannot be on a device, or a device has no room for any partition's: to ask it would
// only delay the search.
bool SearchQuery::find_arrays() {
  if (!flat_) return true;
  bool some = false, possible = true, no_room = false;
  const auto has_room = [this](const std::shared_ptr<const void>& owner) {
    return owner == nullptr || parts_.device == nullptr || !parts_.device->has_no_room_for(owner);
  };
  for (Slot* slot : todo_) {
    const partition::Partition& partition = slot->partition->open->partition();
    bool room = std::ranges::all_of(clause_->resolved.lists, [&](const clauses::QueryList& list) {
      return list.field == clauses::kAllText || has_room(partition.lengths_in(list.field));
    });
    if (has_phrase()) {
      const partition::StoredSequences* const stored = partition.sequences();
      slot->sequences = clauses::device_sequences(stored);
      possible = possible && slot->sequences != nullptr;
      no_room = no_room || (slot->sequences == nullptr && stored != nullptr);
      room = room && (slot->sequences == nullptr || has_room(slot->sequences->owner()));
    }
    no_room = no_room || !room;
    some = some || room;
  }
  if (possible && some) return true;
  if (profiled_) profiled_->run.no_room = no_room;
  return false;
}

// No document of the partition has a higher score.
scoring::Score SearchQuery::most_score(const generation::ServedPartition& served) const {
  const partition::Partition& partition = served.open->partition();
  std::uint64_t most = 0;
  if (const auto* priors = request_.prior_weight == 0 ? nullptr : partition.priors())
    most = scoring::weighted(priors->max_in(0, partition.documents() - 1), request_.prior_weight);
  for (const KnownTerms::Term& term : known_->terms) most += bounds(term.weight, partition).bound(0);
  return static_cast<scoring::Score>(std::min<std::uint64_t>(most, scoring::kMaxScore));
}

// To a plan that has all but these.
void SearchQuery::add_codes(const Slot& slot, engine::Plan& plan) const {
  if (slot.facets_on_device) plan.counted = slot.facets_on_device->codes();
  if (!slot.order_on_device) return;
  plan.order = slot.order_on_device->order();
  plan.ranked = plan.order->has_score();
}

// Partitions that need no plan leave todo_. False: out of memory, or the CPU must evaluate a clause.
bool SearchQuery::make_plans() {
  try {
    if (has_clause() && (!collect_on_device() || !find_arrays())) return false;
    scheduled_.plans.reserve(todo_.size());
    const bool for_gpu = may_use_gpu();
    for (Slot*& slot : todo_) {
      if (for_gpu && slot->lists.empty()) {
        if (auto on_device = plan_on_device(*slot)) {
          scheduled_.plans.push_back(*std::move(on_device));
          continue;
        }
      }
      auto made = plan(*slot, floor());
      if (made && *made) {
        scheduled_.plans.push_back(std::move(**made));
        continue;
      }
      if (!made) fail(*slot, made.error());
      slot = nullptr;
    }
    std::erase(todo_, nullptr);
    return true;
  } catch (const std::exception&) {
    std::erase(todo_, nullptr);
    scheduled_.plans.clear();
    return false;
  }
}

// Of the partitions of todo_. The terms have been looked up. Lists of terms that documents may have, or must not have,
// are only looked up in, for the documents of the others, so they say nothing of how much is looked at.
schedule::QueryFeatures SearchQuery::features() const {
  const bool ranked = request_.rank == wire::Rank::kScore && !sorts() && (!flat_ || depth() > 0);
  schedule::QueryFeatures features{.mode = words_mode(), .ranked = ranked, .k = depth()};
  features.partitions = static_cast<std::uint32_t>(todo_.size());
  for (const Slot* const slot : todo_) features.documents += slot->partition->open->partition().documents();
  const double share = static_cast<double>(features.documents) /
                       static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  for (std::size_t i = 0; i < known_->terms.size(); ++i) {
    if (role_of(i) != engine::TermRole::kRequired) continue;
    const auto postings = static_cast<std::uint64_t>(static_cast<double>(known_->terms[i].term->df()) * share);
    features.add_list(postings, postings / 128 + todo_.size());
  }
  return features;
}

bool SearchQuery::may_use_gpu() const {
  const bool counts = flat_ && counts_facets();
  if (depth() == 0 && request_.rank == wire::Rank::kScore && !counts) return false;
  return request_.processor == wire::Processor::kGpu || (request_.processor == wire::Processor::kAuto && known_ &&
                                                         in_largest(work().postings) >= parts_.min_gpu_postings);
}

void SearchQuery::search_on_scheduled_cpu() {
  scheduled_.on_cpu = true;
  const std::uint64_t waited_us = micros_between(scheduled_.submitted, parts_.clock.now());
  for (Slot* const slot : todo_) slot->profile.queue_us += waited_us;
  search_here();
}

void SearchQuery::drop() {
  fail_todo(wire::UnsearchedReason::kDeadline);
  wave_done();
}

// The answer, whose counts become the slot's facets, with what its hits have of the order.
Result<engine::Outcome> SearchQuery::with_collected(Slot& slot, Result<engine::Outcome> answer) const {
  if (!answer) return answer;
  if (slot.facets_on_device) slot.facets = FROND_TRY(slot.facets_on_device->counts(*answer, wanted_.room()));
  if (slot.order_on_device) slot.sort_bytes = slot.order_on_device->sort_bytes(wanted_.max_sort_bytes, answer->hits);
  return answer;
}

void SearchQuery::take_answers(std::vector<schedule::GpuAnswer> answers) {
  const Instant now = parts_.clock.now();
  metrics_.gpu.observe(seconds_between(scheduled_.submitted, now));
  if (profiled_) profile_answers(now, answers);
  for (std::size_t i = 0; i < todo_.size(); ++i) {
    Slot& slot = *todo_[i];
    slot.profile.engine_us += micros_between(scheduled_.submitted, now);
    if (!answers[i]) continue;
    todo_[i] = nullptr;
    try {
      slot.profile.engine = "gpu";
      if (slot.order_on_device) slot.profile.engine += ", sorted";
      if (slot.facets_on_device) slot.profile.engine += ", facets";
      take(slot, with_collected(slot, *std::move(answers[i])));
    } catch (const std::exception&) {  // out of memory: only this partition is unsearched
      slot.unsearched = wire::UnsearchedReason::kUnavailable;
    }
  }
  std::erase(todo_, nullptr);
  scheduled_.plans.clear();  // a batch has moved from them
  if (parts_.check != nullptr && todo_.empty() && parts_.check->due()) check_answers();
  search_here();
}

void SearchQuery::cpu_done() {
  if (!unfinished_at_bound_.empty() && go_on_unbound()) return;
  std::uint64_t spent_us = 0;
  for (const Slot* const slot : todo_) spent_us += slot->cpu_us;
  if (predicted_)
    parts_.at_once->observe(*std::exchange(predicted_, {}), static_cast<double>(std::max<std::uint64_t>(1, spent_us)));
  if (std::exchange(scheduled_.on_cpu, false))
    parts_.queries->cpu_done(scheduled_, std::chrono::microseconds(spent_us));
  wave_done();
}

}  // namespace frond::leaf::serve
