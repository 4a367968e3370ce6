// The part of query_queues.h that takes jobs out.
#include <algorithm>

#include "common/base/check.h"
#include "leaf/schedule/query_queues.h"

namespace frond::leaf::schedule {

void QueryQueues::unlink(std::uint32_t number) {
  Slot& slot = slots_[number];
  Waiting& waiting = queue(slot.queue);
  waiting.order.erase(number);
  waiting.urgent.erase(number);
  if (waiting.suited.contains(number)) waiting.suited.erase(number);
  if (slot.queue != Queue::kGpu) waiting.cpu.remove(slot.cpu);
  if (slot.queue != Queue::kCpu) waiting.gpu.remove(slot.gpu);
  slot.job->slot = kNone;
  --waiting_;
}

QueryJob& QueryQueues::take(const Pick& pick) {
  unlink(pick.slot);
  const Slot& slot = slots_[pick.slot];
  times_.take(slot.tag);
  slot.job->taken_as = pick.as;
  counters_.urgent += pick.as == TakenAs::kUrgent;
  free_.push_back(pick.slot);
  return *slot.job;
}

void QueryQueues::drop(std::uint32_t number) {
  unlink(number);
  slots_[number].next = kNone;
  (last_dropped_ == kNone ? first_dropped_ : slots_[last_dropped_].next) = number;
  last_dropped_ = number;
  ++counters_.dropped;
}

bool QueryQueues::drop_if_late(std::uint32_t number, std::int64_t now) {
  const Slot& slot = slots_[number];
  const std::int64_t service = slot.movable                ? std::min(slot.cpu, launch_ + slot.gpu)
                               : slot.queue == Queue::kCpu ? slot.cpu
                                                           : launch_ + slot.gpu;
  const bool hopeless = slot.deadline != kNeverNs && waiting_ > 1 && now + service / 2 > slot.deadline;
  if (!hopeless && !slot.job->deadline.passed_at(instant_of(now))) return false;
  drop(number);
  return true;
}

// Makes room: drops the jobs that are late. Those became urgent first.
void QueryQueues::sweep(std::int64_t now) {
  for (Waiting& waiting : queues_)
    while (!waiting.urgent.empty() && drop_if_late(waiting.urgent.top(), now)) {
    }
}

template <class Here, class AtOnce, class There>
QueryQueues::Pick QueryQueues::pick(Queue mine, Queue others, bool alone, std::int64_t now, const Here& here,
                                    const AtOnce& there_at_once, const There& there) const {
  const Waiting &own = queue(mine), &either = queue(Queue::kEither), &other = queue(others);
  Pick pick{kNone, TakenAs::kUrgent};
  std::int64_t earliest = now + 1;
  const auto consider = [&](const Waiting& waiting) {
    if (waiting.urgent.empty() || waiting.urgent.top_key() >= earliest) return;
    earliest = waiting.urgent.top_key();
    pick.slot = waiting.urgent.top();
  };
  consider(own);
  consider(either);
  if (!other.urgent.empty() && other.urgent.top_key() < earliest) {
    const Slot& slot = slots_[other.urgent.top()];
    if (slot.movable && here(slot) < there_at_once(slot)) consider(other);
  }
  if (pick.slot != kNone) return pick;
  if (own.size() > 0) return {own.order.top(), TakenAs::kOwn};
  if (either.size() > 0) {
    const Slot& slot = slots_[either.order.top()];
    if (alone || here(slot) <= there(slot)) return {either.order.top(), TakenAs::kEither};
  }
  if (!other.suited.empty()) {
    const Slot& slot = slots_[other.suited.top()];
    if (here(slot) < there(slot)) return {other.suited.top(), TakenAs::kStolen};
  }
  return {};
}

QueryQueues::Pick QueryQueues::pick_for_cpu(std::int64_t now) const {
  return pick(
      Queue::kCpu, Queue::kGpu, !has_gpu(), now, [](const Slot& slot) { return slot.cpu; },
      [&](const Slot& slot) { return streams_.end_of(now, slot.gpu) - now; },
      [&](const Slot& slot) { return gpu_end_of_waiting(slot, now); });
}

// For a batch that has `work` already.
QueryQueues::Pick QueryQueues::pick_for_gpu(std::int64_t now, std::int64_t work) const {
  return pick(
      Queue::kGpu, Queue::kCpu, !has_cpu(), now,
      [&](const Slot& slot) { return streams_.end_of(now, work + slot.gpu) - now; },
      [&](const Slot& slot) { return worker_wait(now) + slot.cpu; },
      [&](const Slot& slot) { return cpu_end_of_waiting(slot, now); });
}

QueryJob* QueryQueues::next_for_cpu(Instant at) {
  const std::int64_t now = ns_of(at);
  FROND_CHECK(workers_.any_idle());
  for (;;) {
    const Pick pick = pick_for_cpu(now);
    if (pick.slot == kNone) return nullptr;
    if (drop_if_late(pick.slot, now)) continue;
    const std::int64_t cost = slots_[pick.slot].cpu;
    QueryJob& job = take(pick);
    counters_.either_by_cpu += pick.as == TakenAs::kEither;
    counters_.stolen_by_cpu += pick.as == TakenAs::kStolen;
    job.running = workers_.start(now + cost);
    return &job;
  }
}

void QueryQueues::cpu_done(QueryJob& job) { workers_.finish(static_cast<std::uint32_t>(job.running)); }

// A stream is free, and there is something for the GPU.
std::int64_t QueryQueues::batch_due(std::int64_t now) const {
  const Waiting& own = queue(Queue::kGpu);
  if (streams_.busy() == 0 || own.size() >= options_.max_batch || own.gpu.total() >= max_batch_work_) return now;
  std::int64_t due = streams_.device_free_at(now) - launch_;
  for (const Queue which : {Queue::kGpu, Queue::kEither})
    if (queue(which).size() > 0) due = std::min(due, queue(which).urgent.top_key());
  return std::max(due, now);
}

// When the GPU should look again at the jobs that wait for the CPU, if no worker ends before: then all are so late that
// the GPU ends one of these jobs sooner. A stream and no worker is idle.
std::int64_t QueryQueues::overrun_due(std::int64_t now) const {
  std::int64_t due = kNeverNs;
  const auto consider = [&](std::uint32_t number) {
    const Slot& slot = slots_[number];
    if (!slot.movable) return;
    const std::int64_t here = streams_.end_of(now, slot.gpu) - now;
    const std::int64_t there = cpu_end_of_waiting(slot, now) - worker_wait(now);  // once a worker is free
    due = std::min(due, workers_.wait_above(std::max<std::int64_t>(0, here - there), now));
  };
  if (!queue(Queue::kCpu).suited.empty()) consider(queue(Queue::kCpu).suited.top());
  if (queue(Queue::kEither).size() > 0) consider(queue(Queue::kEither).order.top());
  return due;
}

QueryQueues::Wanted QueryQueues::wanted(Instant at) const {
  Wanted wanted;
  if (waiting_ == 0) return wanted;
  const std::int64_t now = ns_of(at);
  const Pick cpu = workers_.any_idle() ? pick_for_cpu(now) : Pick();
  const Pick gpu = has_gpu() && streams_.any_idle() ? pick_for_gpu(now, 0) : Pick();
  wanted.cpu = cpu.slot != kNone;
  if (gpu.slot == kNone) {
    if (options_.follow_overruns && has_cpu() && !workers_.any_idle() && has_gpu() && streams_.any_idle())
      if (const std::int64_t due = overrun_due(now); due != kNeverNs) wanted.gpu = instant_of(due);
    return wanted;
  }
  const std::int64_t due = batch_due(now);
  if (cpu.slot == gpu.slot && waiting_ == 1) {  // one job, two processors
    const Slot& slot = slots_[cpu.slot];
    if (slot.cpu <= streams_.end_of(now, slot.gpu) - now) return wanted;
    wanted.cpu = false;
  }
  wanted.batch = true;
  wanted.gpu = due <= now ? at : instant_of(due);
  return wanted;
}

QueryQueues::Batch QueryQueues::next_batch(std::span<QueryJob*> jobs, Instant at) {
  Batch batch;
  if (!has_gpu() || !streams_.any_idle()) return batch;
  const std::int64_t now = ns_of(at);
  const std::size_t limit = std::min(jobs.size(), options_.max_batch);
  // A device that is behind gets full batches, which take it less time a job: with small ones it would fall behind
  // further, and all would become late.
  const bool behind = queue(Queue::kGpu).gpu.total() >= kBehind * max_batch_work_;
  const std::int64_t max_work = behind ? kBehind * max_batch_work_ : max_batch_work_;
  const bool overrun = has_cpu() && worker_wait(now) > workers_.wait(now);
  std::int64_t work = 0, tightest = kNeverNs;
  while (batch.jobs < limit) {
    const Pick pick = pick_for_gpu(now, work);
    if (pick.slot == kNone) break;
    if (drop_if_late(pick.slot, now)) continue;
    const Slot& slot = slots_[pick.slot];
    if (batch.jobs > 0) {
      if (work + slot.gpu > max_work) break;
      // Not so much that a job of the batch becomes late through it.
      if (!behind && streams_.end_of(now, work + slot.gpu) > tightest && streams_.end_of(now, work) <= tightest) break;
    }
    work += slot.gpu;
    tightest = std::min(tightest, slot.deadline);
    jobs[batch.jobs++] = &take(pick);
    counters_.either_by_gpu += pick.as == TakenAs::kEither;
    counters_.stolen_by_gpu += pick.as == TakenAs::kStolen;
    counters_.overrun += overrun && slot.queue != Queue::kGpu;
  }
  if (batch.jobs == 0) return batch;
  std::sort(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(batch.jobs),
            [](const QueryJob* a, const QueryJob* b) { return a->gpu_us > b->gpu_us; });
  batch.work_us = us_of(work);
  batch.stream = streams_.start(now, work);
  typical_batch_ += (static_cast<double>(batch.jobs) - typical_batch_) / 8;
  return batch;
}

void QueryQueues::batch_done(std::uint32_t stream, Instant now) { streams_.finish(stream, ns_of(now)); }

QueryJob* QueryQueues::next_dropped() {
  if (first_dropped_ == kNone) return nullptr;
  const std::uint32_t number = first_dropped_;
  first_dropped_ = slots_[number].next;
  if (first_dropped_ == kNone) last_dropped_ = kNone;
  free_.push_back(number);
  return slots_[number].job;
}

}  // namespace frond::leaf::schedule
