#include "leaf/accelerator.h"

#include "leaf/families/metric_families.h"

namespace frond::leaf {

Result<std::unique_ptr<Accelerator>> accelerator_for(const Options& options, engine::QueryEngine& below,
                                                     metrics::Registry& registry, Logger& log) {
  if (!options.gpu_device) return std::unique_ptr<Accelerator>();
  auto made = make_accelerator(options, below, registry);
  if (made || options.gpu_required) return made;
  log.info("no GPU is used", {{"reason", made.error().message()}});
  return std::unique_ptr<Accelerator>();
}

std::string gpu_state(const Options& options, const Accelerator* gpu) {
  return gpu ? gpu->lost() ? "lost" : "ready" : options.gpu_device ? "absent" : "off";
}

void export_gpu_state(metrics::Registry& registry, const Options& options, const Accelerator* gpu) {
  const families::Export exported(registry, [&options, gpu] { return gpu_state(options, gpu); });
  for (const char* name : {"off", "absent", "ready", "lost"})
    exported.gauge(families::kGpuState, [name](const std::string& now) { return now == name; }, {{"state", name}});
}

}  // namespace frond::leaf
