#include "leaf/gpu/batch_runner.h"

#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include "common/device/patience.h"
#include "leaf/gpu/document_order.h"
#include "leaf/gpu/search/kernels.h"
#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 27;  // of a part's lists: 17 billion postings
// Launches at most for a query whose candidates did not fit: the first, three with narrower bins, and some for ties.
constexpr int kRounds = 7;
constexpr int kRoundsForRoom = 3;  // of a query that only gets more room, as it shares the launch with fewer
// Reads of the answers between two calls of the runtime that ask whether the stream has ended: a call takes as long as
// many reads.
constexpr int kLooks = 100;

// What the longest list has of documents that are not hidden, if the device has counted the others.
std::uint64_t longest_shown(const ReadyPlan& ready, const AnswerOfQuery& answer) {
  const std::uint64_t all = longest_of(ready).list.count;
  return ready.hidden == nullptr ? all : all - ready.hidden_postings.value_or(answer.hidden_postings);
}

// Of a plan that is not ranked. `counted`: by the device, in this launch or an earlier one.
engine::Outcome unranked_outcome(const ReadyPlan& ready, const AnswerOfQuery& answer, const HitOnDevice* hits,
                                 std::uint32_t counted) {
  const engine::Plan& plan = *ready.plan;
  engine::Outcome outcome;
  outcome.hits.reserve(answer.found);
  for (std::uint32_t i = 0; i < answer.found; ++i) outcome.hits.push_back({plan.placement.ordinal(hits[i].docid), 0});
  outcome.postings_decoded = std::uint64_t{answer.runs} * kRunLength;
  outcome.matches = counted;
  if (is_conjunction(plan)) return outcome;
  outcome.matches += longest_shown(ready, answer);  // documents that are not counted by the device
  return outcome;
}

// `tied`: ReadyPlan::tied of the last launch.
engine::Outcome outcome_of(const ReadyPlan& ready, const AnswerOfQuery& answer, const HitOnDevice* hits,
                           scoring::Score tied) {
  const engine::Plan& plan = *ready.plan;
  engine::Outcome outcome;
  outcome.hits.reserve(answer.found);
  for (std::uint32_t i = 0; i < answer.found; ++i) {
    const scoring::Score score = tied == 0 ? hits[i].score : score_without_ties(hits[i].score, tied);
    outcome.hits.push_back({plan.placement.ordinal(hits[i].docid), score});
  }
  outcome.postings_decoded = std::uint64_t{answer.runs} * kRunLength;
  if (is_of_one_list(plan)) {
    outcome.matches = longest_shown(ready, answer);
  } else if (plan.mode == engine::Mode::kAnd || engine::is_of_clauses(plan)) {
    outcome.matches = answer.matches;
    outcome.exact = answer.matches <= plan.count_to;
  } else {
    // With fewer than k hits and no floor nothing was left out.
    outcome.exact = outcome.hits.size() < plan.k && ready.floor == 0;
    const std::uint64_t least = engine::least_matches(plan, longest_of(ready).list.count);
    outcome.matches = std::max<std::uint64_t>(outcome.hits.size(), outcome.exact ? 0 : least);
  }
  return outcome;
}

// Whether the threshold is the k-th best score, and documents with that score can be told apart by another launch.
bool has_ties_to_rank(const ReadyPlan& ready, const AnswerOfQuery& answer) {
  return ready.plan->ranked && ready.tied == 0 && answer.bin_shift == 0 && answer.threshold > 0 && can_rank_ties(ready);
}

// Whether another launch of the plan would know more than the last.
bool would_know_more(const ReadyPlan& ready, const AnswerOfQuery& answer) {
  if (!ready.plan->ranked || answer.threshold > ready.floor) return true;
  return ready.tied == 0 && (answer.bin_shift > 0 || has_ties_to_rank(ready, answer));
}

// The plan for another launch, since too many of its candidates reached the answer's threshold.
ReadyPlan raised_plan(const ReadyPlan& from, const AnswerOfQuery& answer) {
  ReadyPlan raised = from;
  if (from.plan->ranked && from.tied == 0) {
    if (has_ties_to_rank(from, answer)) {
      raised.tied = answer.threshold;
      raised.floor = 0;
      return raised;
    }
    // The k-th best score lies in the bin that begins with the threshold: that bin is cut into new ones.
    raised.floor = std::max(from.floor, answer.threshold);
    raised.bin_shift = answer.bin_shift - std::min(answer.bin_shift, kBinBits);
    return raised;
  }
  if (!from.plan->ranked) raised.counted = from.counted.value_or(answer.matches);
  raised.origin = first_with(answer.threshold, from.origin);
  raised.floor = score_in_order(last_with(answer.threshold, from.origin), raised.origin);
  return raised;
}

// Adds the period from the first query's begin to the last query's end, and returns its microseconds.
double add_to(BusyTime& busy, std::span<const AnswerOfQuery> answers) {
  std::uint64_t began_ns = answers[0].began_ns, ended_ns = answers[0].ended_ns;
  for (const AnswerOfQuery& answer : answers) {
    began_ns = std::min(began_ns, answer.began_ns);
    ended_ns = std::max(ended_ns, answer.ended_ns);
  }
  busy.add(began_ns, ended_ns);
  return ended_ns > began_ns ? static_cast<double>(ended_ns - began_ns) / 1000 : 0;
}

// The time for which a small batch is waited for by looking again and again: waking a sleeping thread takes about as
// long. Afterwards the thread sleeps between two looks, so that it leaves its core to others.
constexpr std::chrono::microseconds kMaxSpin{60}, kNap{15};

// Threads that poll ask for wake-ups to the microsecond; by default Linux may delay each by 50 more.
void nap() {
  thread_local const int precise = prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(precise);
  std::this_thread::sleep_for(kNap);
}

}  // namespace

Result<std::unique_ptr<BatchRunner>> BatchRunner::create(int device, std::size_t bytes, BusyTime& busy,
                                                         const Options& options) {
  const int points = options.timed ? BatchSteps::kOutcomes - BatchSteps::kStart + 1 : 0;
  auto space = FROND_TRY(BatchWorkspace::create(device, bytes, points));
  return std::unique_ptr<BatchRunner>(new BatchRunner(device, std::move(space), busy, options));
}

// How many of the first plans go into one launch; at least one.
std::size_t BatchRunner::part_of(std::span<const ReadyPlan* const> plans) const {
  if (counts_) return counted_part_of(plans);
  std::size_t terms = 0, k = 1, queries = 0;
  std::uint64_t blocks = 0;
  for (const ReadyPlan* ready : plans) {
    terms += ready->lists.size();
    k = std::max<std::size_t>(k, ready->plan->k);
    for (const auto& list : ready->lists) blocks += list->list.block_count;
    ++queries;
    const bool fits = queries <= kMaxQueries && terms <= kMaxTerms && blocks <= kMaxBlocks &&
                      queries * k <= BatchWorkspace::kHitPlaces &&
                      queries * std::max<std::size_t>(kMinCandidates, 8 * k) <= space_.candidates();
    if (!fits && queries > 1) return queries - 1;
  }
  return queries;
}

Result<void> BatchRunner::start_part(std::span<const ReadyPlan* const> plans) {
  if (counts_) return start_counting(plans);
  const SteadyTime from = std::chrono::steady_clock::now();
  BatchOnDevice batch = builder_.build(plans, space_.input.data());
  const ByteView input = builder_.bytes();
  if (input.size() > BatchWorkspace::kInputBytes)
    return Error(Code::kOverloaded, "a batch too large for its staging memory");
  std::memcpy(space_.staged_input.data(), input.data(), input.size());
  space_.attach(batch, input.size());
  stride_ = 1;
  for (const ReadyPlan* ready : plans) stride_ = std::max(stride_, ready->plan->k);
  batch.hits_stride = stride_;
  batch.launch = ++launch_;
  batch.by_bucket = by_bucket_;

  const device::StreamHandle stream = space_.stream.get();
  on_device_ = true;
  staged_ = std::chrono::steady_clock::now();
  times_.build_us += us_between(from, staged_);
  ++times_.launches;
  FROND_TRY(space_.mark(0));
  FROND_TRY(search::start_queries(batch, stream));
  if (batch.counted_queries > 0) FROND_TRY(search::count_hidden(batch, stream));
  FROND_TRY(space_.mark(1));
  FROND_TRY(search::search_lists(batch, stream));
  FROND_TRY(search::sum_scores(batch, stream));
  FROND_TRY(space_.mark(2));
  FROND_TRY(search::select_hits(batch, stream));
  FROND_TRY(space_.mark(3));
  FROND_TRY(space_.ended.record(stream));
  ++steps_.parts;
  steps_.microseconds[BatchSteps::kBuild] += us_between(from, std::chrono::steady_clock::now());
  return {};
}

Result<void> BatchRunner::add_device_steps() {
  const auto& points = space_.points;
  if (!points.empty()) FROND_TRY(points.back().wait());
  for (std::size_t i = 1; i < points.size(); ++i)
    steps_.microseconds[BatchSteps::kStart + i - 1] += 1e3 * FROND_TRY(points[i].milliseconds_since(points[i - 1]));
  return {};
}

Result<void> BatchRunner::wait(std::size_t queries, const Clock& clock, std::chrono::milliseconds patience) const {
  const Deadline end = Deadline::after(clock, patience);
  AnswerOfQuery* next = space_.answers();
  AnswerOfQuery* const behind = next + queries;
  const auto all_there = [&] {  // the device writes answers while this reads
    while (next != behind && std::atomic_ref(next->launch).load(std::memory_order_acquire) == launch_) ++next;
    return next == behind;
  };
  const auto spin_until = std::chrono::steady_clock::now() + kMaxSpin;
  for (int look = 1; !all_there(); ++look) {
    if (look % kLooks == 0 && FROND_TRY(space_.ended.done()) && !all_there())
      return Error(Code::kDevice, "GPU: a batch ended without its answers");
    if (end.passed(clock)) {
      device::give_up();  // it may hang: nothing may wait for it any more, destructors included
      return Error(Code::kDevice, "GPU: no answer");
    }
    if (std::chrono::steady_clock::now() >= spin_until) nap();
  }
  return {};
}

Result<void> BatchRunner::start(std::vector<const ReadyPlan*> plans, bool counts) {
  FROND_TRY(device::use(device_));
  counts_ = counts;
  plans_ = std::move(plans);
  times_ = {};
  first_ = 0;
  count_ = part_of(plans_);
  return start_part(std::span(plans_).first(count_));
}

// Waits for the part on the device. Plans whose candidates did not fit run again, with the threshold of the last launch
// as their floor.
Result<void> BatchRunner::finish_part(std::vector<RunOutcome>& outcomes, const Clock& clock,
                                      std::chrono::milliseconds patience) {
  std::vector<std::size_t> left(count_);  // places in plans_
  for (std::size_t i = 0; i < count_; ++i) left[i] = first_ + i;
  std::vector<const ReadyPlan*> current(plans_.begin() + static_cast<std::ptrdiff_t>(first_),
                                        plans_.begin() + static_cast<std::ptrdiff_t>(first_ + count_));
  std::deque<ReadyPlan> raised;
  for (int round = 1;; ++round) {
    FROND_TRY(wait(left.size(), clock, patience));
    on_device_ = false;
    const SteadyTime seen = std::chrono::steady_clock::now();
    FROND_TRY(add_device_steps());
    const std::span<const AnswerOfQuery> answers(space_.answers(), left.size());
    const double kernel_us = add_to(busy_, answers);
    times_.kernel_us += kernel_us;
    times_.transfer_us += std::max(0.0, us_between(staged_, seen) - kernel_us);
    const SteadyTime from = std::chrono::steady_clock::now();
    if (counts_) {
      take_counts(current, std::span(outcomes).subspan(first_, count_));
      steps_.microseconds[BatchSteps::kOutcomes] += us_between(from, std::chrono::steady_clock::now());
      return {};
    }
    std::vector<std::size_t> again;
    std::vector<const ReadyPlan*> again_plans;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool ranked = current[i]->plan->ranked;
      if (answers[i].found == kNoAnswer) continue;
      if (answers[i].found != kNoRoom) {
        const HitOnDevice* const hits = space_.hits() + i * stride_;
        const std::uint32_t counted = current[i]->counted.value_or(answers[i].matches);
        const ReadyPlan& ready = *plans_[left[i]];
        if (counts_hidden(ready)) longest_of(ready).keep_hidden_postings(*ready.hidden, answers[i].hidden_postings);
        outcomes[left[i]] = {true, ranked ? outcome_of(ready, answers[i], hits, current[i]->tied)
                                          : unranked_outcome(ready, answers[i], hits, counted)};
      } else if (would_know_more(*current[i], answers[i]) || (left.size() > 1 && round < kRoundsForRoom)) {
        raised.push_back(raised_plan(*current[i], answers[i]));
        again.push_back(left[i]);
        again_plans.push_back(&raised.back());
      }
    }
    steps_.microseconds[BatchSteps::kOutcomes] += us_between(from, std::chrono::steady_clock::now());
    if (again.empty() || round == kRounds) return {};
    left = std::move(again);
    current = std::move(again_plans);
    FROND_TRY(start_part(current));
  }
}

Result<std::vector<RunOutcome>> BatchRunner::finish(const Clock& clock, std::chrono::milliseconds patience) {
  FROND_TRY(device::use(device_));
  std::vector<RunOutcome> outcomes(plans_.size());
  for (;;) {
    FROND_TRY(finish_part(outcomes, clock, patience));
    first_ += count_;
    if (first_ == plans_.size()) return outcomes;
    const auto rest = std::span<const ReadyPlan* const>(plans_).subspan(first_);
    count_ = part_of(rest);
    FROND_TRY(start_part(rest.first(count_)));
  }
}

}  // namespace frond::leaf::gpu
