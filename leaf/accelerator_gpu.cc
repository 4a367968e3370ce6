#include "leaf/accelerator.h"

#include "common/config/command_line.h"
#include "common/device/devices.h"
#include "common/device/runtime.h"
#include "leaf/families/metric_families.h"
#include "leaf/gpu/gpu_devices.h"

namespace frond::leaf {
namespace {

using gpu::GpuDevices, gpu::GpuEngine;

void export_counters(metrics::Registry& registry, const GpuEngine& engine, const metrics::Labels& device) {
  using Counters = GpuEngine::Counters;
  using Lists = gpu::DeviceCache::Counters;
  const auto refused = [&device](const char* reason) {
    metrics::Labels labels = device;
    labels.emplace_back("reason", reason);
    return labels;
  };
  registry.gauge(families::kGpuCacheLimit, device).set(static_cast<double>(engine.list_bytes()));
  const families::Export batches(registry, [&engine] { return engine.counters(); });
  batches.counter(families::kGpuBatches, &Counters::batches, device);
  batches.counter(families::kGpuBusy, &Counters::busy_seconds, device);
  batches.counter(families::kGpuPlans, &Counters::plans, device);
  batches.counter(families::kGpuFallbacks, &Counters::fallbacks, device);
  batches.counter(families::kGpuTies, &Counters::unanswered, device);
  const families::Export lists(registry, [&engine] { return engine.counters().lists; });
  lists.gauge(families::kGpuCacheBytes, &Lists::bytes, device);
  lists.counter(families::kGpuCacheHits, &Lists::hits, device);
  lists.counter(families::kGpuCacheMisses, &Lists::misses, device);
  lists.counter(families::kGpuCacheEvictions, &Lists::evictions, device);
  lists.counter(families::kGpuListsRefused, &Lists::damaged, refused("damaged"));
  lists.counter(families::kGpuListsRefused, &Lists::too_large, refused("too_large"));
  lists.counter(families::kGpuCopiedBytes, &Lists::copied_bytes, device);
}

void export_lines(metrics::Registry& registry, const GpuDevices& devices, std::size_t i,
                  const metrics::Labels& device) {
  using Counters = GpuDevices::Counters;
  const families::Export exported(registry, [&devices, i] { return devices.counters(i); });
  exported.gauge(
      families::kGpuPartitions, [](const Counters& now) { return now.places.partitions; }, device);
  exported.gauge(
      families::kGpuSharesWaiting, [](const Counters& now) { return now.lines.waiting; }, device);
  exported.counter(
      families::kGpuShares, [](const Counters& now) { return now.lines.shares; }, device);
  exported.counter(
      families::kGpuSharesStolen, [](const Counters& now) { return now.lines.stolen; }, device);
}

Result<std::unique_ptr<GpuEngine>> make_engine(const Options& options, int device, engine::QueryEngine& below) {
  if (device >= device::count_devices())
    return Error(Code::kDevice, "GPU: there is no device " + std::to_string(device));
  std::uint64_t bytes = options.gpu_cache_bytes;
  if (bytes == config::kAutoBytes)  // the rest is for the driver, kernels, and what else runs on the device
    bytes = FROND_TRY(device::properties_of(device)).free_bytes / 5 * 4;
  return GpuEngine::create({.device = device, .memory_bytes = bytes}, below);
}

}  // namespace

Result<std::unique_ptr<Accelerator>> make_accelerator(const Options& options, engine::QueryEngine& below,
                                                      metrics::Registry& registry, Logger& log) {
  std::vector<int> wanted = options.gpu_devices;
  if (wanted.empty())
    for (int device = 0; device < device::count_devices(); ++device) wanted.push_back(device);
  std::vector<std::unique_ptr<GpuEngine>> engines;
  Error why(Code::kDevice, "GPU: there is no device");
  for (const int device : wanted) {
    auto made = make_engine(options, device, below);
    if (made) {
      engines.push_back(*std::move(made));
      continue;
    }
    why = made.error();
    if (wanted.size() == 1) break;  // the caller tells
    log.log(options.gpu_named ? LogLevel::kWarn : LogLevel::kInfo, "a GPU is not used",
            {{"device", std::to_string(device)}, {"reason", why.message()}});
  }
  if (engines.empty()) return wanted.size() > 1 ? Error(Code::kDevice, "none of the devices can be used") : why;
  auto devices = std::make_unique<GpuDevices>(std::move(engines), below);
  for (std::size_t i = 0; i < devices->count(); ++i) {
    const metrics::Labels label{{"device", std::to_string(devices->devices()[i].number)}};
    export_counters(registry, devices->engine(i), label);
    export_lines(registry, *devices, i, label);
  }
  return std::unique_ptr<Accelerator>(std::move(devices));
}

void give_up_gpu(int device) { device::give_up(device); }

}  // namespace frond::leaf
