#include "leaf/accelerator.h"

#include "common/config/command_line.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf {

std::unique_ptr<Accelerator> accelerator_for(const Options& options, engine::QueryEngine& below,
                                             metrics::Registry& registry, Logger& log) {
  if (options.gpu_off) return nullptr;
  auto made = make_accelerator(options, below, registry, log);
  if (made) return *std::move(made);
  log.log(options.gpu_named ? LogLevel::kWarn : LogLevel::kInfo, "no GPU is used",
          {{"reason", made.error().message()}});
  return nullptr;
}

std::string gpu_state(const Options& options, const Accelerator* gpu) {
  if (gpu == nullptr) return options.gpu_off ? "off" : "absent";
  const auto devices = gpu->devices();
  if (devices.size() == 1 || gpu->lost()) return gpu->lost() ? "lost" : "ready";
  std::string each;
  for (const auto& device : devices)
    each += (each.empty() ? "" : ", ") + std::to_string(device.number) + (device.lost ? " lost" : " ready");
  return each;
}

std::vector<Budget> budgets_of(const Options& options, const Accelerator* gpu) {
  std::vector<Budget> all = options.budgets;
  if (gpu == nullptr) return all;
  for (const auto& device : gpu->devices())
    all.push_back({.flag = "--gpu-cache",
                   .amount = device.bytes,
                   .bytes = true,
                   .chosen = options.gpu_cache_bytes == config::kAutoBytes,
                   .device = device.number});
  return all;
}

void export_gpu_state(metrics::Registry& registry, const Options& options, const Accelerator* gpu) {
  const auto export_one = [&registry](const auto& state, const metrics::Labels& labels) {
    const families::Export exported(registry, state);
    for (const char* name : {"off", "absent", "ready", "lost"}) {
      metrics::Labels all = labels;
      all.emplace_back("state", name);
      exported.gauge(
          families::kGpuState, [name](const std::string& now) { return now == name; }, all);
    }
  };
  if (gpu == nullptr) return export_one([&options] { return gpu_state(options, nullptr); }, {});
  const std::size_t count = gpu->devices().size();
  for (std::size_t i = 0; i < count; ++i)
    export_one([gpu, i] { return std::string(gpu->devices()[i].lost ? "lost" : "ready"); },
               {{"device", std::to_string(gpu->devices()[i].number)}});
}

}  // namespace frond::leaf
