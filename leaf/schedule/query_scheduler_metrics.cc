#include <array>

#include "leaf/families/metric_families.h"
#include "leaf/schedule/query_scheduler.h"

namespace frond::leaf::schedule {

namespace {

struct Exported {
  explicit Exported(metrics::Registry& registry) {
    const char* const queues[] = {"cpu", "gpu", "either"};
    for (std::size_t i = 0; i < waiting.size(); ++i)
      waiting[i] = registry.gauge(families::kScheduleQueries, {{"queue", queues[i]}});
    const auto wait = [&](const char* on) { return registry.gauge(families::kScheduleWait, {{"processor", on}}); };
    cpu_wait = wait("cpu");
    gpu_wait = wait("gpu");
    const auto taken = [&](const char* on, const char* from) {
      return registry.following_counter(families::kScheduleTaken, {{"processor", on}, {"from", from}});
    };
    either_by_cpu = taken("cpu", "either");
    either_by_gpu = taken("gpu", "either");
    stolen_by_cpu = taken("cpu", "other");
    stolen_by_gpu = taken("gpu", "other");
    refused_full = registry.following_counter(families::kScheduleRefused, {{"reason", "full"}});
    refused_late = registry.following_counter(families::kScheduleRefused, {{"reason", "late"}});
    dropped = registry.following_counter(families::kScheduleDropped);
    urgent = registry.following_counter(families::kScheduleUrgent);
    overrun = registry.following_counter(families::kScheduleOverrun);
  }
  void set(const QueryQueues::State& now) {
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i].set(static_cast<double>(now.waiting[i]));
    cpu_wait.set(now.cpu_wait_us / 1e6);
    gpu_wait.set(now.gpu_wait_us / 1e6);
    either_by_cpu.follow(now.either_by_cpu);
    either_by_gpu.follow(now.either_by_gpu);
    stolen_by_cpu.follow(now.stolen_by_cpu);
    stolen_by_gpu.follow(now.stolen_by_gpu);
    refused_full.follow(now.refused_full);
    refused_late.follow(now.refused_late);
    dropped.follow(now.dropped);
    urgent.follow(now.urgent);
    overrun.follow(now.overrun);
  }
  std::array<metrics::Gauge, 3> waiting;
  metrics::Gauge cpu_wait, gpu_wait;
  metrics::FollowingCounter either_by_cpu, either_by_gpu, stolen_by_cpu, stolen_by_gpu;
  metrics::FollowingCounter refused_full, refused_late, dropped, urgent, overrun;
};

}  // namespace

void export_no_queries(metrics::Registry& registry) { Exported(registry).set({}); }

void QueryScheduler::export_state(metrics::Registry& registry) {
  static constexpr double kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  batch_plans_ = registry.histogram(families::kGpuBatchPlans, kSizes);
  registry.before_scrape([this, exported = Exported(registry)]() mutable { exported.set(state()); });
}

}  // namespace frond::leaf::schedule
