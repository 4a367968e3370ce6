#include "leaf/gpu_state.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

Result<std::unique_ptr<Accelerator>> accelerator_for(const Options& options, engine::QueryEngine& cpu,
                                                     metrics::Registry& registry, Logger& log) {
  if (!options.gpu_device) return std::unique_ptr<Accelerator>();
  auto made = make_accelerator(*options.gpu_device, {options.gpu_cache_bytes, options.gpu_plain_bytes}, cpu, registry);
  if (made || options.gpu_required) return made;
  log.info("no GPU is used", {{"reason", made.error().message()}});
  return std::unique_ptr<Accelerator>();
}

void GpuState::export_to(metrics::Registry& registry) const {
  for (const char* name : {"off", "absent", "ready", "lost"})
    registry.before_scrape([this, name, gauge = registry.gauge(families::kGpuState, {{"state", name}})]() mutable {
      gauge.set(now() == name ? 1 : 0);
    });
}

}  // namespace frond::leaf
