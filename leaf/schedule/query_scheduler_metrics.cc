#include <array>

#include "leaf/families/metric_families.h"
#include "leaf/schedule/query_scheduler.h"

namespace frond::leaf::schedule {

void QueryScheduler::export_state(metrics::Registry& registry) {
  static constexpr double kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  batch_plans_ = registry.histogram(families::kGpuBatchPlans, kSizes);
  static constexpr const char* kQueues[] = {"cpu", "gpu", "either"};
  std::array<metrics::Gauge, 3> waiting;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    waiting[i] = registry.gauge(families::kScheduleQueries, {{"queue", kQueues[i]}});
  const auto wait = [&](const char* on) { return registry.gauge(families::kScheduleWait, {{"processor", on}}); };
  const auto taken = [&](const char* on, const char* from) {
    return registry.following_counter(families::kScheduleTaken, {{"processor", on}, {"from", from}});
  };
  const auto refused = [&](const char* why) {
    return registry.following_counter(families::kScheduleRefused, {{"reason", why}});
  };
  registry.before_scrape([this, waiting, cpu_wait = wait("cpu"), gpu_wait = wait("gpu"), full = refused("full"),
                          late = refused("late"), dropped = registry.following_counter(families::kScheduleDropped),
                          urgent = registry.following_counter(families::kScheduleUrgent),
                          either_cpu = taken("cpu", "either"), either_gpu = taken("gpu", "either"),
                          stolen_cpu = taken("cpu", "other"), stolen_gpu = taken("gpu", "other")]() mutable {
    const QueryQueues::State now = state();
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i].set(static_cast<double>(now.waiting[i]));
    cpu_wait.set(now.cpu_wait_us / 1e6);
    gpu_wait.set(now.gpu_wait_us / 1e6);
    full.follow(now.refused_full);
    late.follow(now.refused_late);
    dropped.follow(now.dropped);
    urgent.follow(now.urgent);
    either_cpu.follow(now.either_by_cpu);
    either_gpu.follow(now.either_by_gpu);
    stolen_cpu.follow(now.stolen_by_cpu);
    stolen_gpu.follow(now.stolen_by_gpu);
  });
}

}  // namespace frond::leaf::schedule
