#include "leaf/gpu/gpu_engine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "leaf/gpu/tuning.h"

namespace frond::leaf::gpu {
namespace {

constexpr std::size_t kMostRunnerBytes = std::size_t{96} << 20;

}  // namespace

Result<std::unique_ptr<GpuEngine>> GpuEngine::create(const Options& options, QueryEngine& below) {
  if (options.device < 0 || options.device >= device::count_devices())
    return Error(Code::kDevice, "GPU: there is no device " + std::to_string(options.device));
  FROND_TRY(device::use(options.device));
  // At most half for workspaces.
  const std::size_t each = std::min(kMostRunnerBytes, options.memory_bytes / 2 / std::max(options.runners, 1u));
  std::vector<std::unique_ptr<BatchRunner>> runners;
  for (std::uint32_t i = 0; i < std::max(options.runners, 1u); ++i)
    runners.push_back(FROND_TRY(BatchRunner::create(options.device, each)));
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, options.memory_bytes - each * runners.size()));
  std::unique_ptr<GpuEngine> engine(new GpuEngine(options, below, std::move(memory), std::move(runners)));
  engine->cache_ =
      FROND_TRY(DeviceCache::create(engine->arena_, {.device = options.device, .copying = options.copying}));
  return engine;
}

GpuEngine::GpuEngine(const Options& options, QueryEngine& below, device::Memory memory,
                     std::vector<std::unique_ptr<BatchRunner>> runners)
    : options_(options),
      below_(below),
      memory_(std::move(memory)),
      arena_(memory_.data(), memory_.bytes()),
      idle_(std::move(runners)) {}

GpuEngine::~GpuEngine() = default;

std::vector<Result<Outcome>> GpuEngine::search(std::span<const Plan> plans, const Clock& clock) {
  std::vector<std::optional<Result<Outcome>>> found(plans.size());
  Request request;
  std::vector<std::size_t> places;  // of the request's plans
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].deadline.passed(clock)) {
      found[i] = Error(Code::kDeadline, "the deadline passed before evaluation");
      continue;
    }
    if (state() == State::kLost || !fits_kernels(plans[i])) continue;
    if (auto ready = cache_->pin(plans[i])) {
      request.plans.push_back(*std::move(ready));
      places.push_back(i);
    }
  }
  if (!request.plans.empty()) run_together(request, clock);
  for (std::size_t i = 0; i < request.outcomes.size(); ++i) {
    if (!request.outcomes[i].answered) {
      ++unanswered_;
    } else if (plans[places[i]].deadline.passed(clock)) {
      found[places[i]] = Error(Code::kDeadline, "the deadline passed during evaluation");
    } else {
      found[places[i]] = std::move(request.outcomes[i].outcome);
    }
  }
  std::vector<Result<Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!found[i]) {
      ++fallbacks_;
      found[i] = std::move(below_.search(plans.subspan(i, 1), clock)[0]);
    }
    outcomes.push_back(*std::move(found[i]));
  }
  return outcomes;
}

// Waits until another caller has run the request, or a runner is idle and the caller itself runs all that waits.
void GpuEngine::run_together(Request& request, const Clock& clock) {
  std::unique_ptr<BatchRunner> runner;
  std::vector<Request*> together;
  {
    MutexLock lock(mutex_);
    waiting_.push_back(&request);
    changed_.wait(lock.mutex(), [&] { return request.done || (!idle_.empty() && !waiting_.empty()); });
    if (request.done) return;
    runner = std::move(idle_.back());
    idle_.pop_back();
    together.swap(waiting_);
  }
  // Its own request may be on its way with another runner already; then it ran the others', and waits for its own.
  run_batch(*runner, together, clock);
  MutexLock lock(mutex_);
  idle_.push_back(std::move(runner));
  for (Request* one : together) one->done = true;
  changed_.notify_all();
  changed_.wait(lock.mutex(), [&] { return request.done; });
}

void GpuEngine::run_batch(BatchRunner& runner, std::span<Request* const> requests, const Clock& clock) {
  if (state() == State::kLost) return;
  std::vector<const ReadyPlan*> plans;
  for (const Request* one : requests)
    for (const ReadyPlan& plan : one->plans) plans.push_back(&plan);
  auto outcomes = runner.run(plans, clock, options_.patience);
  if (!outcomes) {
    if (outcomes.error().code() == Code::kDevice) lost_.store(true, std::memory_order_relaxed);
    return;
  }
  ++batches_;
  plans_ += plans.size();
  auto next = outcomes->begin();
  for (Request* one : requests) {
    const auto end = next + static_cast<std::ptrdiff_t>(one->plans.size());
    one->outcomes.assign(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
}

GpuEngine::Counters GpuEngine::counters() const {
  return {batches_.load(), plans_.load(), fallbacks_.load(), unanswered_.load(), cache_->counters()};
}

}  // namespace frond::leaf::gpu
