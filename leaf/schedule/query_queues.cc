#include "leaf/schedule/query_queues.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"

namespace frond::leaf::schedule {
namespace {

constexpr std::int64_t kMaxCostNs = 1'000'000'000'000;  // 1,000 s
constexpr double kMaxLogThreshold = 8;
// The threshold is where it should be after about this time. An unbalance of less than kMinBacklogNs counts less.
constexpr double kAdaptNs = 20e6, kMinBacklogNs = 2e6;
// A job that either processor may run is urgent after this time and so many times what was predicted.
constexpr std::int64_t kOutlived = 2, kMinWait = 1'000'000;
constexpr std::int64_t kMaxAdaptStepNs = 1'000'000;

std::int64_t ns_of(std::chrono::microseconds span) { return std::chrono::nanoseconds(span).count(); }
std::int64_t cost_of(double us) {
  if (!(us > 0.001)) return 1;
  return us * 1000 < static_cast<double>(kMaxCostNs) ? static_cast<std::int64_t>(us * 1000) : kMaxCostNs;
}

}  // namespace

QueryQueues::QueryQueues(const Options& options)
    : options_(options),
      launch_(ns_of(options.launch)),
      max_batch_work_(ns_of(options.max_batch_work)),
      max_age_(ns_of(options.max_age)),
      workers_(options.workers),
      streams_(options.streams, launch_),
      // Twice max_waiting: as many again may have been dropped and wait for next_dropped().
      queues_{Waiting(2 * options.max_waiting), Waiting(2 * options.max_waiting), Waiting(2 * options.max_waiting)},
      slots_(2 * options.max_waiting),
      times_(options.secret) {
  FROND_CHECK(options.max_waiting > 0 && options.max_batch > 0 && (options.workers > 0 || options.streams > 0));
  for (auto i = static_cast<std::uint32_t>(slots_.size()); i-- > 0;) free_.push_back(i);
}

// --- Predicted ends ---

// Half of the third queue is counted for each processor.
std::int64_t QueryQueues::cpu_end(std::int64_t cost, std::int64_t now) const {
  const std::int64_t before = queue(Queue::kCpu).cpu.before(cost) + queue(Queue::kEither).cpu.before(cost) / 2;
  return workers_.wait(now) + before / static_cast<std::int64_t>(workers_.count()) + cost;
}

std::int64_t QueryQueues::gpu_end(std::int64_t cost, std::int64_t now) const {
  const Waiting& own = queue(Queue::kGpu);
  const std::int64_t before = own.gpu.before(cost) + queue(Queue::kEither).gpu.before(cost) / 2;
  // Small batches take longer to launch than to run.
  const auto launches = static_cast<std::int64_t>(own.size() / options_.max_batch) * launch_;
  return streams_.end_of(now, std::max(before, launches / static_cast<std::int64_t>(streams_.count())) + cost) - now;
}

// The same for a job that is in a queue, where it is not before itself.
std::int64_t QueryQueues::cpu_end_of_waiting(const Slot& slot, std::int64_t now) const {
  const std::int64_t self = slot.queue == Queue::kCpu ? slot.cpu : slot.queue == Queue::kEither ? slot.cpu / 2 : 0;
  const std::int64_t overrun = worker_wait(now) - workers_.wait(now);
  return cpu_end(slot.cpu, now) - self / static_cast<std::int64_t>(workers_.count()) + overrun;
}
std::int64_t QueryQueues::gpu_end_of_waiting(const Slot& slot, std::int64_t now) const {
  return gpu_end(slot.gpu, now) - (slot.queue == Queue::kGpu      ? slot.gpu
                                   : slot.queue == Queue::kEither ? slot.gpu / 2
                                                                  : 0);
}

// --- Adding ---

QueryJob::Queue QueryQueues::suited_queue(const Slot& slot) const {
  const double gpu = static_cast<double>(launch_) / typical_batch_ + static_cast<double>(slot.gpu);
  const double faster = static_cast<double>(slot.cpu) / (gpu * threshold_);
  if (faster > kBand) return Queue::kGpu;
  return faster * kBand < 1 ? Queue::kCpu : Queue::kEither;
}

QueryQueues::Admitted QueryQueues::place(Slot& slot, const Ends& ends, std::int64_t now) {
  slot.movable = ends.cpu != kNeverNs && ends.gpu != kNeverNs;
  slot.queue = slot.movable ? suited_queue(slot) : ends.cpu != kNeverNs ? Queue::kCpu : Queue::kGpu;
  slot.job->placed = slot.movable ? QueryJob::Placed::kSuited : QueryJob::Placed::kOnly;
  const std::int64_t left = slot.deadline == kNeverNs ? kNeverNs : slot.deadline - now;
  if (ends.soonest() > left) {
    const bool at_once = waiting_ == 0 && (slot.queue == Queue::kGpu ? streams_.busy() == 0 : workers_.any_idle());
    if (!at_once) return Admitted::kTooLate;
  } else if (slot.queue == Queue::kGpu && ends.gpu > left) {
    slot.queue = Queue::kCpu;
    slot.job->placed = QueryJob::Placed::kInTime;
  } else if (slot.queue == Queue::kCpu && (ends.cpu > left || (slot.movable && ends.gpu < ends.cpu / 2))) {
    slot.queue = Queue::kGpu;  // in time, or its batches have room for all
    slot.job->placed = ends.cpu > left ? QueryJob::Placed::kInTime : QueryJob::Placed::kSooner;
  }
  const std::int64_t service = slot.queue == Queue::kCpu   ? slot.cpu
                               : slot.queue == Queue::kGpu ? launch_ + slot.gpu
                                                           : std::min(slot.cpu, launch_ + slot.gpu);
  slot.urgent_at = now + max_age_;
  // What either processor may run does not starve behind lighter jobs of one while the other could run it.
  if (slot.movable && ends.soonest() < (max_age_ - kMinWait) / kOutlived)
    slot.urgent_at = now + kOutlived * ends.soonest() + kMinWait;
  if (left != kNeverNs) slot.urgent_at = std::min({slot.urgent_at, now + left / 4 * 3, slot.deadline - 2 * service});
  return Admitted::kYes;
}

// Jobs of one client follow each other at the pace at which the whole leaf could run them.
void QueryQueues::tag(Slot& slot) {
  if (waiting_ == 0) times_.forget();
  const std::size_t place = times_.place_of(slot.job->client);
  slot.tag = times_.arrive(place);
  const std::int64_t on_cpu = slot.cpu / std::max<std::int64_t>(1, workers_.count());
  const std::int64_t load = slot.queue == Queue::kCpu   ? on_cpu
                            : slot.queue == Queue::kGpu ? slot.gpu
                                                        : std::min(on_cpu, slot.gpu);
  const std::uint32_t weight = std::max<std::uint32_t>(1, slot.job->client.weight);
  times_.add(place, std::max<std::int64_t>(weight, load), weight);
}

void QueryQueues::enqueue(std::uint32_t number) {
  Slot& slot = slots_[number];
  Waiting& waiting = queue(slot.queue);
  const std::int64_t on_cpu = slot.cpu / std::max<std::int64_t>(1, workers_.count());
  const std::int64_t light_first = slot.queue == Queue::kCpu   ? kLightFirst * on_cpu
                                   : slot.queue == Queue::kGpu ? kLightFirst * slot.gpu
                                                               : 0;  // the oldest first
  waiting.order.push(number, slot.tag + light_first);
  waiting.urgent.push(number, slot.urgent_at);
  if (slot.movable && slot.queue != Queue::kEither) {
    const std::int64_t faster = slot.cpu * 1024 / slot.gpu;
    waiting.suited.push(number, slot.queue == Queue::kGpu ? faster : -faster);
  }
  if (slot.queue != Queue::kGpu) waiting.cpu.add(slot.cpu);
  if (slot.queue != Queue::kCpu) waiting.gpu.add(slot.gpu);
  slot.job->queue = slot.queue;
  slot.job->slot = number;
  ++waiting_;
}

// Moves the threshold towards the processor with less work before it, as far as the unbalance goes.
void QueryQueues::adapt(std::int64_t now) {
  const std::int64_t step = std::min(now - adapted_at_, kMaxAdaptStepNs);
  adapted_at_ = now;
  if (!has_gpu() || !has_cpu() || step <= 0) return;
  const std::int64_t cpu_ns = workers_.wait(now) + queue(Queue::kCpu).cpu.total() / workers_.count();
  const auto cpu = static_cast<double>(cpu_ns);
  const auto gpu = static_cast<double>(streams_.device_free_at(now) - now + queue(Queue::kGpu).gpu.total());
  const double wanted = kMaxLogThreshold * (gpu - cpu) / (gpu + cpu + kMinBacklogNs);
  log_threshold_ += (wanted - log_threshold_) * static_cast<double>(step) / kAdaptNs;
  threshold_ = std::exp(log_threshold_);
}

QueryQueues::Added QueryQueues::add(QueryJob& job, Instant at) {
  const std::int64_t now = ns_of(at);
  if (waiting_ >= options_.max_waiting) sweep(now);
  if (waiting_ >= options_.max_waiting || free_.empty()) {
    ++counters_.refused_full;
    return {Admitted::kFull};
  }
  adapt(now);
  const std::uint32_t number = free_.back();
  Slot& slot = slots_[number];
  slot = {&job, cost_of(job.cpu_us), cost_of(job.gpu_us), 0, ns_of(job.deadline.when())};
  const bool gpu = job.for_gpu && has_gpu();
  const bool cpu = has_cpu() && (job.for_cpu || !gpu);
  FROND_CHECK(cpu || gpu);
  const Ends ends{cpu ? cpu_end(slot.cpu, now) : kNeverNs, gpu ? gpu_end(slot.gpu, now) : kNeverNs};
  const Admitted admitted = job.deadline.passed_at(at) ? Admitted::kTooLate : place(slot, ends, now);
  if (admitted != Admitted::kYes) {
    ++counters_.refused_late;
    return {admitted, us_of(ends.soonest())};
  }
  free_.pop_back();
  tag(slot);
  enqueue(number);
  return {admitted, us_of(ends.soonest())};
}

bool QueryQueues::remove(QueryJob& job) {
  if (job.slot == kNone) return false;
  const std::uint32_t number = job.slot;
  unlink(number);
  free_.push_back(number);
  return true;
}

void QueryQueues::close_gpu() {
  streams_.close();
  FROND_CHECK(has_cpu());
  for (const Queue from : {Queue::kGpu, Queue::kEither})
    while (queue(from).size() > 0) {
      const std::uint32_t number = queue(from).order.top();
      unlink(number);
      slots_[number].queue = Queue::kCpu;
      slots_[number].movable = false;
      slots_[number].job->placed = QueryJob::Placed::kOnly;
      enqueue(number);
    }
  for (Slot& slot : slots_) slot.movable = false;  // of the CPU's own jobs
}

QueryQueues::State QueryQueues::state(Instant at) const {
  const std::int64_t now = ns_of(at);
  State state = counters_;
  for (std::size_t i = 0; i < queues_.size(); ++i) state.waiting[i] = queues_[i].size();
  if (has_cpu()) state.cpu_wait_us = us_of(workers_.wait(now) + queue(Queue::kCpu).cpu.total() / workers_.count());
  if (has_gpu()) state.gpu_wait_us = us_of(streams_.end_of(now, queue(Queue::kGpu).gpu.total()) - now - launch_);
  state.threshold = threshold_;
  return state;
}

}  // namespace frond::leaf::schedule
