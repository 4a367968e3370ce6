// A search on a leaf with a GPU: its plans go to the QueryScheduler, which runs them or gives them back.
#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "leaf/serve/search_parts.h"
#include "leaf/serve/search_query.h"

namespace frond::leaf::serve {

// True: the scheduler has the search, or it is over. False: it runs here.
bool SearchQuery::submit_to_scheduler() {
  using Admitted = schedule::QueryScheduler::Admitted;
  if (!make_plans() || todo_.empty()) return false;
  scheduled_.costs = parts_.queries->predict(features());
  scheduled_.deadline = deadline_;
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

// Partitions that need no plan leave todo_. False: out of memory.
bool SearchQuery::make_plans() {
  try {
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

// Of the partitions of todo_. The terms have been looked up.
schedule::QueryFeatures SearchQuery::features() const {
  schedule::QueryFeatures features{.mode = mode_, .ranked = request_.rank == wire::Rank::kScore, .k = depth()};
  features.partitions = static_cast<std::uint32_t>(todo_.size());
  for (const Slot* const slot : todo_) features.documents += slot->partition->open->partition().documents();
  const double share = static_cast<double>(features.documents) /
                       static_cast<double>(std::max<std::uint64_t>(1, generation_->statistics.documents));
  for (const KnownTerms::Term& term : known_->terms) {
    const auto postings = static_cast<std::uint64_t>(static_cast<double>(term.term->df()) * share);
    features.add_list(postings, postings / 128 + todo_.size());
  }
  return features;
}

bool SearchQuery::may_use_gpu() const {
  if (depth() == 0 && request_.rank == wire::Rank::kScore) return false;
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
      take(slot, *std::move(answers[i]));
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
  if (scheduled_.on_cpu) {
    scheduled_.on_cpu = false;
    std::uint64_t spent_us = 0;
    for (const Slot* const slot : todo_) spent_us += slot->cpu_us;
    parts_.queries->cpu_done(scheduled_, std::chrono::microseconds(spent_us));
  }
  wave_done();
}

}  // namespace frond::leaf::serve
