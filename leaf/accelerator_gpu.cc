#include "leaf/accelerator.h"

#include "common/config/command_line.h"
#include "common/device/runtime.h"
#include "leaf/families/metric_families.h"
#include "leaf/gpu/gpu_engine.h"

namespace frond::leaf {
namespace {

void export_counters(metrics::Registry& registry, const gpu::GpuEngine& engine, std::uint64_t plain_bytes) {
  using Counters = gpu::GpuEngine::Counters;
  using Lists = gpu::DeviceCache::Counters;
  using Plain = gpu::PlainLists::Counters;
  registry.gauge(families::kGpuCacheLimit).set(static_cast<double>(engine.list_bytes()));
  registry.gauge(families::kGpuPlainLimit).set(static_cast<double>(plain_bytes));
  const families::Export batches(registry, [&engine] { return engine.counters(); });
  batches.counter(families::kGpuBatches, &Counters::batches);
  batches.counter(families::kGpuBusy, &Counters::busy_seconds);
  batches.counter(families::kGpuPlans, &Counters::plans);
  batches.counter(families::kGpuFallbacks, &Counters::fallbacks);
  batches.counter(families::kGpuTies, &Counters::unanswered);
  const families::Export lists(registry, [&engine] { return engine.counters().lists; });
  lists.gauge(families::kGpuCacheBytes, &Lists::bytes);
  lists.counter(families::kGpuCacheHits, &Lists::hits);
  lists.counter(families::kGpuCacheMisses, &Lists::misses);
  lists.counter(families::kGpuCacheEvictions, &Lists::evictions);
  lists.counter(families::kGpuListsRefused, &Lists::damaged, {{"reason", "damaged"}});
  lists.counter(families::kGpuListsRefused, &Lists::too_large, {{"reason", "too_large"}});
  lists.counter(families::kGpuCopiedBytes, &Lists::copied_bytes);
  const families::Export plain(registry, [&engine] { return engine.counters().lists.plain; });
  plain.gauge(families::kGpuPlainBytes, &Plain::bytes);
  plain.counter(families::kGpuPlainMade, &Plain::made);
  plain.counter(families::kGpuPlainUsed, &Plain::used);
}

}  // namespace

Result<std::unique_ptr<Accelerator>> make_accelerator(const Options& options, engine::QueryEngine& below,
                                                      metrics::Registry& registry) {
  std::uint64_t bytes = options.gpu_cache_bytes;
  if (bytes == config::kAutoBytes)  // the rest is for the driver, kernels, and what else runs on the device
    bytes = FROND_TRY(device::properties_of(*options.gpu_device)).free_bytes / 5 * 4;
  auto engine = FROND_TRY(gpu::GpuEngine::create(
      {.device = *options.gpu_device, .memory_bytes = bytes, .plain = {.bytes = options.gpu_plain_bytes}}, below));
  export_counters(registry, *engine, options.gpu_plain_bytes);
  return std::unique_ptr<Accelerator>(std::move(engine));
}

}  // namespace frond::leaf
