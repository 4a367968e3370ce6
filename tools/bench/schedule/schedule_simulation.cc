#include "tools/bench/schedule/schedule_simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>

#include "common/base/check.h"
#include "tools/synth/random.h"

namespace frond::tools::bench {
namespace {

using leaf::schedule::QueryJob, leaf::schedule::QueryQueues;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTick = 1e-3;  // a nanosecond: less is no time
// The clock starts here, so that no time is negative.
constexpr std::chrono::seconds kStart{1};

Instant instant_of(double us) {
  return Instant(kStart + std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1000)));
}
double us_of(Instant time) {
  return std::chrono::duration<double, std::micro>(time.time_since_epoch() - kStart).count();
}

// Batches that are launched or share the device.
class SimulatedGpu {
 public:
  struct Batch {
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> arrivals;
    double ready = 0, left = 0;  // when it reaches the device, the work that it then still needs
  };
  void start(Batch batch) { batches_.push_back(std::move(batch)); }
  // Lets the device work until `to`. No batch reaches the device or ends between.
  void advance(double now, double to) {
    const double share = (to - now) / std::max(1.0, on_device(now));
    for (Batch& batch : batches_)
      if (batch.ready <= now) batch.left -= share;
  }
  double next_event(double now) const {
    double next = kNever;
    const double sharing = on_device(now);
    for (const Batch& batch : batches_)
      next = std::min(next, batch.ready > now ? batch.ready : now + std::max(0.0, batch.left) * sharing);
    return next;
  }
  // Takes out a batch that has ended.
  std::optional<Batch> ended(double now) {
    for (auto batch = batches_.begin(); batch != batches_.end(); ++batch)
      if (batch->ready <= now && batch->left <= kTick) {
        Batch done = std::move(*batch);
        batches_.erase(batch);
        return done;
      }
    return std::nullopt;
  }

 private:
  double on_device(double now) const {
    double count = 0;
    for (const Batch& batch : batches_) count += batch.ready <= now;
    return count;
  }
  std::vector<Batch> batches_;
};

class Simulation {
 public:
  Simulation(std::span<const SimulatedQuery> queries, std::span<const Arrival> arrivals,
             const SimulationOptions& options)
      : queries_(queries),
        arrivals_(arrivals),
        options_(options),
        queues_(adjusted(options)),
        taken_(options.queues.max_batch) {
    model_.scales = options.scales;
    result_.ends.resize(arrivals.size());
    jobs_.resize(arrivals.size());
  }

  SimulationResult run() {
    for (;;) {
      const double next = next_event();
      if (next == kNever || (options_.stop_at_first_miss && result_.failed())) break;
      gpu_.advance(now_, next);
      now_ = std::max(now_, next);
      step();
      dispatch();
    }
    FROND_CHECK(queues_.waiting() == 0 || options_.stop_at_first_miss);
    return finish();
  }

 private:
  struct Job : QueryJob {
    std::uint32_t arrival = 0;
  };
  struct Running {
    double end = 0;
    std::uint32_t arrival = 0;
    friend bool operator<(const Running& a, const Running& b) { return a.end > b.end; }
  };

  static QueryQueues::Options adjusted(const SimulationOptions& options) {
    auto queues = options.queues;
    if (options.configuration == Configuration::kGpuOnly) queues.workers = 0;
    if (options.configuration == Configuration::kCpuOnly) queues.streams = 0;
    return queues;
  }

  double next_event() const {
    double next = gpu_.next_event(now_);
    if (arrived_ < arrivals_.size()) next = std::min(next, arrivals_[arrived_].at_us);
    if (!running_.empty()) next = std::min(next, running_.top().end);
    return std::min(next, due_);
  }

  // Whatever happens now.
  void step() {
    while (auto batch = gpu_.ended(now_)) {
      queues_.batch_done(batch->stream, instant_of(now_));
      for (const std::uint32_t arrival : batch->arrivals) answered(arrival, SimulatedEnd::How::kGpu);
    }
    while (!running_.empty() && running_.top().end <= now_) {
      const std::uint32_t arrival = running_.top().arrival;
      running_.pop();
      queues_.cpu_done(jobs_[arrival]);
      answered(arrival, SimulatedEnd::How::kCpu);
    }
    while (arrived_ < arrivals_.size() && arrivals_[arrived_].at_us <= now_) arrive(arrived_++);
  }

  void arrive(std::uint32_t number) {
    const SimulatedQuery& query = queries_[arrivals_[number].query];
    Job& job = jobs_[number];
    job.cpu_us = query.predicted_cpu_us;
    job.gpu_us = query.predicted_gpu_us * model_.scale_of(static_cast<std::size_t>(queues_.typical_batch()));
    job.deadline = Deadline::at(instant_of(arrivals_[number].at_us + options_.deadline_us));
    job.client = {.id = query.client};
    job.for_gpu = query.for_gpu || !has_cpu_;
    job.arrival = number;
    if (queues_.add(job, instant_of(now_)).admitted == QueryQueues::Admitted::kYes) return;
    ++result_.refused;
    result_.ends[number].how = SimulatedEnd::How::kRefused;
  }

  // Only what the queues want is done: a wake-up that they forget stops the simulation.
  void dispatch() {
    for (;;) {
      const auto wanted = queues_.wanted(instant_of(now_));
      due_ = wanted.gpu ? us_of(*wanted.gpu) : kNever;
      if (wanted.cpu) {
        if (auto* job = static_cast<Job*>(queues_.next_for_cpu(instant_of(now_)))) start(*job);
      } else if (wanted.gpu && *wanted.gpu <= instant_of(now_)) {
        start_batch();
      } else {
        if (due_ != kNever) due_ = std::max(due_, now_ + kTick);
        drain_dropped();
        return;
      }
      drain_dropped();
    }
  }

  void drain_dropped() {
    while (auto* job = static_cast<Job*>(queues_.next_dropped())) {
      ++result_.dropped;
      result_.ends[job->arrival].how = SimulatedEnd::How::kDropped;
    }
  }

  void start(const Job& job) {
    result_.ends[job.arrival].start_us = now_;
    running_.push({now_ + queries_[arrivals_[job.arrival].query].cpu_us, job.arrival});
  }

  void start_batch() {
    const auto batch = queues_.next_batch(taken_, instant_of(now_));
    if (batch.jobs == 0) return;
    SimulatedGpu::Batch started{batch.stream, {}, now_ + options_.launch_us, 0};
    for (std::size_t i = 0; i < batch.jobs; ++i) {
      const std::uint32_t arrival = static_cast<Job*>(taken_[i])->arrival;
      started.arrivals.push_back(arrival);
      started.left += queries_[arrivals_[arrival].query].gpu_us;
      result_.ends[arrival].start_us = now_;
    }
    started.left *= model_.scale_of(batch.jobs);
    gpu_.start(std::move(started));
    ++result_.batches;
  }

  void answered(std::uint32_t arrival, SimulatedEnd::How how) {
    SimulatedEnd& end = result_.ends[arrival];
    FROND_CHECK(end.how == SimulatedEnd::How::kNone);  // none twice
    end.how = how;
    end.taken_as = jobs_[arrival].taken_as;
    end.end_us = now_;
    result_.on_gpu += how == SimulatedEnd::How::kGpu;
    const double delay = now_ - arrivals_[arrival].at_us;
    result_.late += delay > options_.deadline_us;
    delays_.push_back(delay);
  }

  SimulationResult finish() {
    result_.end_us = now_;
    result_.queues = queues_.state(instant_of(now_));
    set_delays(result_, std::move(delays_));
    return std::move(result_);
  }

  const std::span<const SimulatedQuery> queries_;
  const std::span<const Arrival> arrivals_;
  const SimulationOptions& options_;
  leaf::schedule::CostModel model_;  // only its scales
  QueryQueues queues_;
  SimulatedGpu gpu_;
  std::vector<QueryJob*> taken_;
  std::vector<Job> jobs_;  // by arrival
  std::priority_queue<Running> running_;
  std::vector<double> delays_;
  std::uint32_t arrived_ = 0;
  const bool has_cpu_ = adjusted(options_).workers > 0;
  double now_ = 0, due_ = kNever;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(std::span<const SimulatedQuery> queries, std::span<const Arrival> arrivals,
                          const SimulationOptions& options) {
  if (options.configuration == Configuration::kBetterOneAtATime)
    return simulate_one_at_a_time(queries, arrivals, options);
  return Simulation(queries, arrivals, options).run();
}

namespace {
constexpr double kMaxDeviations = 2.5;  // the heaviest query is within a deadline
}

std::vector<SimulatedQuery> synthetic_queries(std::size_t count, const SyntheticWorkload& workload,
                                              std::uint64_t seed) {
  synth::Random random(seed);
  const double rest = std::sqrt(1 - workload.correlation * workload.correlation);
  std::vector<SimulatedQuery> queries(count);
  for (SimulatedQuery& query : queries) {
    const double first = std::clamp(synth::normal(random), -kMaxDeviations, kMaxDeviations);
    const double second = std::clamp(synth::normal(random), -kMaxDeviations, kMaxDeviations);
    query.cpu_us = workload.cpu_median_us * std::exp(workload.cpu_spread * first);
    query.gpu_us =
        workload.gpu_median_us * std::exp(workload.gpu_spread * (workload.correlation * first + rest * second));
    query.predicted_cpu_us = query.cpu_us * workload.bias * std::exp(workload.error * synth::normal(random));
    query.predicted_gpu_us = query.gpu_us * workload.bias * std::exp(workload.error * synth::normal(random));
    query.for_gpu = random.unit() >= workload.share_off_gpu;
  }
  return queries;
}

}  // namespace frond::tools::bench
