#include <array>

#include "leaf/families/metric_families.h"
#include "leaf/schedule/query_scheduler.h"

namespace frond::leaf::schedule {
namespace {

template <class Now>
void export_queues(metrics::Registry& registry, const Now& now) {
  using State = QueryQueues::State;
  const families::Export exported(registry, now);
  constexpr std::array kQueues = {"cpu", "gpu", "either"};
  for (std::size_t i = 0; i < kQueues.size(); ++i)
    exported.gauge(families::kScheduleQueries, [i](const State& state) { return state.waiting[i]; },
                   {{"queue", kQueues[i]}});
  exported.gauge(families::kScheduleWait, [](const State& state) { return state.cpu_wait_us / 1e6; },
                 {{"processor", "cpu"}});
  exported.gauge(families::kScheduleWait, [](const State& state) { return state.gpu_wait_us / 1e6; },
                 {{"processor", "gpu"}});
  const auto taken = [&](auto of, const char* on, const char* from) {
    exported.counter(families::kScheduleTaken, of, {{"processor", on}, {"from", from}});
  };
  taken(&State::either_by_cpu, "cpu", "either");
  taken(&State::either_by_gpu, "gpu", "either");
  taken(&State::stolen_by_cpu, "cpu", "other");
  taken(&State::stolen_by_gpu, "gpu", "other");
  exported.counter(families::kScheduleRefused, &State::refused_full, {{"reason", "full"}});
  exported.counter(families::kScheduleRefused, &State::refused_late, {{"reason", "late"}});
  exported.counter(families::kScheduleDropped, &State::dropped);
  exported.counter(families::kScheduleUrgent, &State::urgent);
  exported.counter(families::kScheduleOverrun, &State::overrun);
}

}  // namespace

void export_no_queries(metrics::Registry& registry) {
  export_queues(registry, [] { return QueryQueues::State(); });
}

void QueryScheduler::export_state(metrics::Registry& registry) {
  static constexpr double kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  batch_plans_ = registry.histogram(families::kGpuBatchPlans, kSizes);
  export_queues(registry, [this] { return state(); });
}

}  // namespace frond::leaf::schedule
