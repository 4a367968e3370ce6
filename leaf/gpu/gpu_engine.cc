#include "leaf/gpu/gpu_engine.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::size_t kMaxRunnerBytes = std::size_t{64} << 20;

}  // namespace

Result<std::unique_ptr<GpuEngine>> GpuEngine::create(const Options& options, engine::QueryEngine& below) {
  if (options.device < 0 || options.device >= device::count_devices())
    return Error(Code::kDevice, "GPU: there is no device " + std::to_string(options.device));
  FROND_TRY(device::use(options.device));
  // Workspaces get at most half of the memory; if that is too little for all of them, there are fewer.
  const std::size_t half = options.memory_bytes / 2;
  const std::size_t many = std::clamp<std::size_t>(half / BatchRunner::kMinBytes, 1, std::max(options.runners, 1u));
  const std::size_t each = std::min(kMaxRunnerBytes, half / many);
  auto busy = std::make_unique<BusyTime>();
  std::vector<std::unique_ptr<BatchRunner>> runners;
  for (std::size_t i = 0; i < many; ++i)
    runners.push_back(FROND_TRY(BatchRunner::create(options.device, each, *busy, options.timed)));
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, options.memory_bytes - each * many));
  std::unique_ptr<GpuEngine> engine(
      new GpuEngine(options, below, std::move(busy), std::move(memory), std::move(runners)));
  engine->cache_ =
      FROND_TRY(DeviceCache::create(engine->arena_, {.device = options.device, .copying = options.copying}));
  return engine;
}

GpuEngine::GpuEngine(const Options& options, engine::QueryEngine& below, std::unique_ptr<BusyTime> busy,
                     device::Memory memory, std::vector<std::unique_ptr<BatchRunner>> runners)
    : options_(options),
      below_(below),
      busy_(std::move(busy)),
      memory_(std::move(memory)),
      arena_(memory_.data(), memory_.bytes()),
      idle_(std::move(runners)) {
  running_.reserve(idle_.size());
}

GpuEngine::~GpuEngine() = default;

// The requests of one caller. Its destructor waits for them, also when the caller throws.
struct GpuEngine::Parts {
  ~Parts() {
    for (const Request& part : list) engine.wait_for(part, clock);
  }
  GpuEngine& engine;
  const Clock& clock;
  std::deque<Request> list;  // addresses stay valid when it grows
};

std::vector<std::optional<Result<engine::Outcome>>> GpuEngine::try_search(std::span<const engine::Plan> plans,
                                                                          const Clock& clock) {
  std::vector<std::optional<Result<engine::Outcome>>> found(plans.size());
  Parts of_the_caller{*this, clock, {}};
  std::deque<Request>& parts = of_the_caller.list;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (parts.empty() || parts.back().plans.size() == kMaxQueries) {
      if (!parts.empty()) submit(parts.back());
      parts.emplace_back();
      parts.back().plans.reserve(std::min<std::size_t>(plans.size() - i, kMaxQueries));
    }
    if (plans[i].deadline.passed(clock)) {
      found[i] = Error(Code::kDeadline, "the deadline passed before evaluation");
      continue;
    }
    if (state() == State::kLost || !fits_kernels(plans[i])) continue;
    if (auto ready = cache_->pin(plans[i])) {
      parts.back().plans.push_back(*std::move(ready));
      parts.back().places.push_back(i);
    }
  }
  if (!parts.empty()) submit(parts.back());
  for (Request& part : parts) {
    wait_for(part, clock);
    for (std::size_t i = 0; i < part.outcomes.size(); ++i) {
      const std::size_t place = part.places[i];
      if (!part.outcomes[i].answered) {
        ++unanswered_;
      } else if (plans[place].deadline.passed(clock)) {
        found[place] = Error(Code::kDeadline, "the deadline passed during evaluation");
      } else {
        found[place] = std::move(part.outcomes[i].outcome);
      }
    }
  }
  for (const auto& one : found) fallbacks_ += !one;
  return found;
}

std::vector<Result<engine::Outcome>> GpuEngine::search(std::span<const engine::Plan> plans, const Clock& clock) {
  auto found = try_search(plans, clock);
  std::vector<Result<engine::Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    outcomes.push_back(found[i] ? *std::move(found[i]) : std::move(below_.search(plans.subspan(i, 1), clock)[0]));
  return outcomes;
}

void GpuEngine::submit(Request& request) {
  if (request.plans.empty()) return;
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(&request);
    request.done = false;
  }
  start_waiting();
}

// The engine has no threads of its own: callers that wait finish batches and start waiting requests.
void GpuEngine::wait_for(const Request& request, const Clock& clock) noexcept {
  for (;;) {
    Batch batch;
    {
      MutexLock lock(mutex_);
      if (request.done) return;
      changed_.wait(lock.mutex(),
                    [&] { return request.done || !running_.empty() || (!waiting_.empty() && !idle_.empty()); });
      if (request.done) return;
      if (!running_.empty()) batch = take_running(request);
    }
    if (batch.runner) finish(std::move(batch), clock);
    start_waiting();
  }
}

// The batch that has the request, if no other caller finishes it already; else the oldest batch.
GpuEngine::Batch GpuEngine::take_running(const Request& request) {
  auto at = std::find_if(running_.begin(), running_.end(), [&](const Batch& batch) {
    return std::find(batch.requests.begin(), batch.requests.end(), &request) != batch.requests.end();
  });
  if (at == running_.end()) at = running_.begin();
  Batch batch = std::move(*at);
  running_.erase(at);
  return batch;
}

// An idle runner and as many waiting requests as fit into one launch. No runner: none is idle, or nothing waits.
GpuEngine::Batch GpuEngine::take_waiting() {
  Batch batch;
  const MutexLock lock(mutex_);
  if (idle_.empty() || waiting_.empty()) return batch;
  batch.runner = std::move(idle_.back());
  idle_.pop_back();
  std::size_t plans = 0;
  while (!waiting_.empty() && (plans == 0 || plans + waiting_.front()->plans.size() <= kMaxQueries)) {
    plans += waiting_.front()->plans.size();
    batch.requests.splice(batch.requests.end(), waiting_, waiting_.begin());
  }
  return batch;
}

void GpuEngine::start_waiting() noexcept {
  for (;;) {
    Batch batch = take_waiting();
    if (!batch.runner) return;
    bool started = false;
    try {
      std::vector<const ReadyPlan*> plans;
      for (const Request* one : batch.requests)
        for (const ReadyPlan& plan : one->plans) plans.push_back(&plan);
      started = state() == State::kReady && succeeded(batch.runner->start(std::move(plans)));
    } catch (const std::exception&) {  // out of memory: the plans go to the engine below
      if (batch.runner->on_device()) lost_.store(true, std::memory_order_relaxed);
    }
    const MutexLock lock(mutex_);
    if (started) {
      running_.push_back(std::move(batch));
    } else {
      for (Request* one : batch.requests) one->done = true;
      idle_.push_back(std::move(batch.runner));
    }
    changed_.notify_all();
  }
}

void GpuEngine::finish(Batch batch, const Clock& clock) noexcept {
  try {
    auto outcomes = batch.runner->finish(clock, options_.patience);
    if (succeeded(outcomes)) {
      ++batches_;
      plans_ += outcomes->size();
      auto next = outcomes->begin();
      for (Request* one : batch.requests) {
        const auto end = next + static_cast<std::ptrdiff_t>(one->plans.size());
        one->outcomes.assign(std::make_move_iterator(next), std::make_move_iterator(end));
        next = end;
      }
    }
  } catch (const std::exception&) {  // as in start_waiting(); requests that already have outcomes keep them
    if (batch.runner->on_device()) lost_.store(true, std::memory_order_relaxed);
  }
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(batch.runner));
  for (Request* one : batch.requests) one->done = true;
  changed_.notify_all();
}

BatchSteps GpuEngine::steps() const {
  BatchSteps sum;
  const MutexLock lock(mutex_);
  for (const auto& runner : idle_) {
    const BatchSteps& steps = runner->steps();
    for (std::size_t i = 0; i < steps.microseconds.size(); ++i) sum.microseconds[i] += steps.microseconds[i];
    sum.parts += steps.parts;
  }
  return sum;
}

GpuEngine::Counters GpuEngine::counters() const {
  return {batches_.load(), plans_.load(), fallbacks_.load(), unanswered_.load(), busy_->seconds(), cache_->counters()};
}

}  // namespace frond::leaf::gpu
