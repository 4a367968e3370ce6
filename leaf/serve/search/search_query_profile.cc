// How a search's waves ran, for its profile. Nothing of this is called for a search that wants none.
#include <algorithm>
#include <chrono>
#include <utility>

#include "leaf/serve/search/search_query.h"

namespace frond::leaf::serve {
namespace {

using schedule::QueryJob;
using wire::RunReason;

std::uint64_t ns_of(double us) { return us > 0 ? static_cast<std::uint64_t>(us * 1000) : 0; }
std::uint64_t ns_between(Instant from, Instant to) {
  return to > from ? static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count())
                   : 0;
}

wire::RunQueue queue_of(QueryJob::Queue queue) {
  switch (queue) {
    case QueryJob::Queue::kCpu:
      return wire::RunQueue::kCpu;
    case QueryJob::Queue::kGpu:
      return wire::RunQueue::kGpu;
    default:
      return wire::RunQueue::kEither;
  }
}

}  // namespace

void SearchQuery::profile_begin() {
  for (Slot& slot : slots_) {
    slot.on_cpu = false;
    slot.cpu_us = 0;
  }
  Profiled& profiled = *profiled_;
  profiled.run = {};
  wire::SearchRun& run = profiled.runs.emplace_back();
  run.mode = mode_ == engine::Mode::kAnd ? wire::Mode::kAnd : wire::Mode::kOr;
  run.k = depth();
  run.wait_ns = 1000 * std::exchange(profiled.waited_us, 0);
  if (!known_) return;
  const schedule::QueryFeatures known = features();
  run.partitions = known.partitions;
  run.terms = known.terms;
  run.postings = known.postings;
  run.blocks = known.blocks;
  run.shortest = known.shortest;
  run.second = known.second;
}

// Before the scheduler gets the search.
void SearchQuery::profile_submit() {
  wire::SearchRun& run = profiled_->runs.back();
  run.partitions = static_cast<std::uint32_t>(todo_.size());  // the others have nothing to search
  run.predicted_cpu_ns = ns_of(scheduled_.costs.cpu.us);
  run.predicted_gpu_ns = ns_of(scheduled_.costs.gpu.us);
  run.wait_ns = 0;
  scheduled_.ran = &profiled_->run;
}

// The answers of the batch have come; the GPU may have left some plans to the CPU.
void SearchQuery::profile_answers(Instant now, std::span<const schedule::GpuAnswer> answers) {
  const schedule::QueryRun& from = profiled_->run;
  wire::SearchRun& run = profiled_->runs.back();
  run.on_gpu = std::any_of(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); });
  run.batch_queries = from.batch_queries;
  run.batch_plans = from.batch_plans;
  run.resident = from.had_lists ? wire::Resident::kYes : wire::Resident::kNo;
  run.build_ns = ns_of(from.times.build_us);
  run.transfer_ns = ns_of(from.times.transfer_us);
  run.kernel_ns = ns_of(from.times.kernel_us);
  const std::uint64_t told = run.build_ns + run.transfer_ns + run.kernel_ns, all = ns_between(from.taken, now);
  run.answer_ns = all - std::min(all, told);
}

void SearchQuery::profile_end() {
  wire::SearchRun& run = profiled_->runs.back();
  for (const Slot& slot : slots_) {
    run.on_cpu = run.on_cpu || slot.on_cpu;
    run.cpu_ns += 1000 * slot.cpu_us;
  }
  if (profiled_->run.taken != Instant::min()) {
    run.queue = queue_of(scheduled_.queue);
    run.wait_ns = ns_between(scheduled_.submitted, profiled_->run.taken);
    run.stolen = scheduled_.taken_as == QueryJob::TakenAs::kStolen;
  }
  run.reason = run_reason(run);
}

RunReason SearchQuery::run_reason(const wire::SearchRun& run) const {
  if (!run.on_cpu && !run.on_gpu) return RunReason::kNothing;
  if (parts_.queries == nullptr) return RunReason::kNoGpu;
  if (has_clause() && run.queue == wire::RunQueue::kNone && (!flat_ || scheduled_.for_gpu))
    return profiled_->run.no_room ? RunReason::kNoGpuRoom : RunReason::kClause;
  if (!has_clause() && run.queue == wire::RunQueue::kNone) return RunReason::kUnscheduled;
  if (run.on_cpu && run.batch_queries != 0) return profiled_->run.no_room ? RunReason::kNoGpuRoom : RunReason::kGpuLeft;
  if (!scheduled_.for_gpu) {
    if (request_.processor != wire::Processor::kAuto && request_.processor != wire::Processor::kGpu)
      return RunReason::kRequested;
    return run.k == 0 && request_.rank == wire::Rank::kScore ? RunReason::kNoHits : RunReason::kFewPostings;
  }
  if (!scheduled_.for_cpu && run.on_gpu) return RunReason::kRequested;
  if (scheduled_.placed == QueryJob::Placed::kOnly) return RunReason::kGpuLost;
  switch (scheduled_.taken_as) {
    case QueryJob::TakenAs::kStolen:
      return RunReason::kStolen;
    case QueryJob::TakenAs::kEither:
      return RunReason::kFreeFirst;
    case QueryJob::TakenAs::kUrgent:
      return RunReason::kUrgent;
    default:
      break;
  }
  return scheduled_.placed == QueryJob::Placed::kInTime   ? RunReason::kInTime
         : scheduled_.placed == QueryJob::Placed::kSooner ? RunReason::kSooner
                                                          : RunReason::kSuited;
}

}  // namespace frond::leaf::serve
