#include "leaf/gpu/gpu_engine.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
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
    runners.push_back(
        FROND_TRY(BatchRunner::create(options.device, each, *busy, {options.timed, options.by_bucket, options.sums})));
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
      streams_(static_cast<std::uint32_t>(runners.size())),
      busy_(std::move(busy)),
      memory_(std::move(memory)),
      arena_(memory_.data(), memory_.bytes()),
      idle_(std::move(runners)) {}

GpuEngine::~GpuEngine() = default;

// The parts of one caller that are on the device, in the order of their start. Its destructor waits for them, also when
// the caller throws.
struct GpuEngine::Running {
  ~Running() {
    for (Part& part : parts) engine.finish(part, clock, nullptr);
  }
  GpuEngine& engine;
  const Clock& clock;
  std::deque<Part> parts;  // addresses stay valid when it grows
};

// Of plans with something to count, k = 0 asks for no hits. A ranked OR does not count its matches by itself.
bool GpuEngine::is_part_of(const engine::Plan& plan, Kind kind) {
  if (engine::is_of_clauses(plan) || kind == Kind::kClauses)
    return engine::is_of_clauses(plan) && kind == Kind::kClauses;
  switch (orders_of(plan)) {
    case Orders::kByColumns:
      return kind == Kind::kOrders;
    case Orders::kByScores:
      return kind == Kind::kScoredOrders;
    default:
      if (kind == Kind::kOrders || kind == Kind::kScoredOrders) return false;
  }
  if (kind == Kind::kCounts)
    return !plan.counted.empty() ||
           (plan.exact_matches && plan.ranked && plan.k > 0 && plan.terms.size() > 1 && plan.mode == engine::Mode::kOr);
  return plan.ranked == (kind == Kind::kRanked) && (plan.counted.empty() || plan.k > 0);
}

// Makes plans from number `first` on ready, up to kMaxQueries: those that are of the part's kind. Returns the number of
// the first one that is left.
std::size_t GpuEngine::prepare(const ChosenPlans& plans, std::size_t first, Part& part,
                               std::vector<std::optional<Result<engine::Outcome>>>& found, const Clock& clock,
                               engine::BatchTimes& times) {
  const auto from = std::chrono::steady_clock::now();
  const std::size_t room = std::min<std::size_t>(plans.size() - first, kMaxQueries);
  part.plans.reserve(room);
  part.places.reserve(room);
  std::size_t next = first;
  for (; next < plans.size() && part.plans.size() < kMaxQueries; ++next) {
    if (!is_part_of(plans[next], part.kind)) continue;
    if (plans[next].deadline.passed(clock)) {
      found[next] = Error(Code::kDeadline, "the deadline passed before evaluation");
      continue;
    }
    if (lost() || !(by_counters(part.kind) ? fits_counters(plans[next]) : fits_kernels(plans[next]))) continue;
    if (auto ready = cache_->pin(plans[next])) {
      part.plans.push_back(*std::move(ready));
      part.places.push_back(next);
      if (!times.had_lists.empty()) times.had_lists[next] = true;
    } else if (!times.no_room.empty()) {
      times.no_room[next] = cache_->has_no_room_for(plans[next]);
    }
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - from;
  times.build_us += took.count();
  return next;
}

std::vector<std::optional<Result<engine::Outcome>>> GpuEngine::try_search(const ChosenPlans& plans, const Clock& clock,
                                                                          engine::BatchTimes* times) {
  std::vector<std::optional<Result<engine::Outcome>>> found(plans.size());
  engine::BatchTimes unwanted;
  if (times == nullptr) times = &unwanted;
  Running running{*this, clock, {}};
  const auto finish_oldest = [&] {
    Part& part = running.parts.front();
    finish(part, clock, times);
    for (std::size_t i = 0; i < part.plans.size(); ++i) {
      const std::size_t place = part.places[i];
      if (part.outcomes.empty()) continue;
      if (!part.outcomes[i].answered) {
        ++unanswered_;
      } else if (plans[place].deadline.passed(clock)) {
        found[place] = Error(Code::kDeadline, "the deadline passed during evaluation");
      } else if (part.kind == Kind::kCounts) {
        add_counts(plans[place], std::move(part.outcomes[i]), found[place]);
      } else {
        found[place] = std::move(part.outcomes[i].outcome);
      }
    }
    running.parts.pop_front();
  };
  using enum Kind;
  for (const Kind kind : {kRanked, kClauses, kUnranked, kOrders, kScoredOrders, kCounts}) {  // counts come last
    for (std::size_t next = 0; next < plans.size();) {
      Part part;
      part.kind = kind;
      next = prepare(plans, next, part, found, clock, *times);
      if (part.plans.empty()) continue;
      running.parts.push_back(std::move(part));  // before it has a runner, which must not be lost if this throws
      Part& last = running.parts.back();
      // Never waits for the runners of others while it has one itself.
      while ((last.runner = idle_runner(running.parts.size() == 1)) == nullptr) finish_oldest();
      start(last);
    }
  }
  while (!running.parts.empty()) finish_oldest();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (found[i] && *found[i] && (**found[i]).counts.size() != plans[i].counted.size()) found[i].reset();
    fallbacks_ += !found[i];
  }
  return found;
}

// To the hits, which came before: where these were not found, the plan is not answered.
void GpuEngine::add_counts(const engine::Plan& plan, RunOutcome counted,
                           std::optional<Result<engine::Outcome>>& found) {
  if (plan.k == 0) {
    found = std::move(counted.outcome);
  } else if (found && *found) {
    engine::Outcome& outcome = **found;
    outcome.counts = std::move(counted.outcome.counts);
    outcome.matches = counted.outcome.matches;
    outcome.exact = true;
    outcome.postings_decoded += counted.outcome.postings_decoded;
  }
}

std::vector<Result<engine::Outcome>> GpuEngine::search(std::span<const engine::Plan> plans, const Clock& clock) {
  auto found = try_search(plans, clock);
  std::vector<Result<engine::Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    outcomes.push_back(found[i] ? *std::move(found[i]) : std::move(below_.search(plans.subspan(i, 1), clock)[0]));
  return outcomes;
}

// Null only if it does not wait.
std::unique_ptr<BatchRunner> GpuEngine::idle_runner(bool wait) {
  MutexLock lock(mutex_);
  if (wait) changed_.wait(lock.mutex(), [this]() FROND_REQUIRES(mutex_) { return !idle_.empty(); });
  if (idle_.empty()) return nullptr;
  std::unique_ptr<BatchRunner> runner = std::move(idle_.back());
  idle_.pop_back();
  return runner;
}

void GpuEngine::give_back(std::unique_ptr<BatchRunner> runner) noexcept {
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(runner));
  changed_.notify_one();
}

void GpuEngine::start(Part& part) noexcept {
  bool started = false;
  try {
    std::vector<const ReadyPlan*> plans;
    plans.reserve(part.plans.size());
    for (const ReadyPlan& plan : part.plans) plans.push_back(&plan);
    BatchRunner& runner = *part.runner;
    started = !lost() && succeeded(by_counters(part.kind) ? runner.start_counts(std::move(plans))
                                                          : runner.start(std::move(plans)));
  } catch (const std::exception&) {  // out of memory: the plans go to the engine below
    if (part.runner->on_device()) lost_.store(true, std::memory_order_relaxed);
  }
  if (!started) give_back(std::move(part.runner));
}

void GpuEngine::finish(Part& part, const Clock& clock, engine::BatchTimes* times) noexcept {
  if (part.runner == nullptr) return;
  try {
    auto outcomes = part.runner->finish(clock, options_.patience);
    if (succeeded(outcomes)) {
      ++batches_;
      plans_ += outcomes->size();
      part.outcomes = *std::move(outcomes);
      if (times != nullptr) times->add(part.runner->times());
    }
  } catch (const std::exception&) {  // as in start()
    if (part.runner->on_device()) lost_.store(true, std::memory_order_relaxed);
  }
  give_back(std::move(part.runner));
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
