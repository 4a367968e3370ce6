#include "leaf/accelerator.h"
#include "leaf/families/metric_families.h"
#include "leaf/gpu/gpu_engine.h"

namespace frond::leaf {
namespace {

class Gpu final : public Accelerator {
 public:
  explicit Gpu(std::unique_ptr<gpu::GpuEngine> engine) : engine_(std::move(engine)) {}
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                 const Clock& clock,
                                                                 engine::BatchTimes& times) override {
    return engine_->try_search(plans, clock, &times);
  }
  std::uint32_t streams() const override { return engine_->streams(); }
  std::string_view state() const override {
    return engine_->state() == gpu::GpuEngine::State::kReady ? "ready" : "lost";
  }
  lists::DeviceLists& lists() override { return engine_->cache(); }
  std::string refusals() const override { return engine_->cache().refusals(); }
  void forget(std::uint64_t partition) override { engine_->cache().forget(partition); }

 private:
  std::unique_ptr<gpu::GpuEngine> engine_;
};

void export_counters(metrics::Registry& registry, const gpu::GpuEngine& engine, std::size_t plain_bytes) {
  registry.gauge(families::kGpuCacheLimit).set(static_cast<double>(engine.list_bytes()));
  registry.gauge(families::kGpuPlainLimit).set(static_cast<double>(plain_bytes));
  const auto follow = [&registry](const metrics::Family& family) { return registry.following_counter(family); };
  registry.before_scrape([&engine, bytes = registry.gauge(families::kGpuCacheBytes),
                          hits = follow(families::kGpuCacheHits), misses = follow(families::kGpuCacheMisses),
                          evictions = follow(families::kGpuCacheEvictions),
                          damaged = registry.following_counter(families::kGpuListsRefused, {{"reason", "damaged"}}),
                          too_large = registry.following_counter(families::kGpuListsRefused, {{"reason", "too_large"}}),
                          copied = follow(families::kGpuCopiedBytes), batches = follow(families::kGpuBatches),
                          busy = follow(families::kGpuBusy), plans = follow(families::kGpuPlans),
                          fallbacks = follow(families::kGpuFallbacks), ties = follow(families::kGpuTies),
                          plain = registry.gauge(families::kGpuPlainBytes), made = follow(families::kGpuPlainMade),
                          used = follow(families::kGpuPlainUsed)]() mutable {
    const auto now = engine.counters();
    bytes.set(static_cast<double>(now.lists.bytes));
    hits.follow(now.lists.hits);
    misses.follow(now.lists.misses);
    evictions.follow(now.lists.evictions);
    damaged.follow(now.lists.damaged);
    too_large.follow(now.lists.too_large);
    copied.follow(now.lists.copied_bytes);
    batches.follow(now.batches);
    busy.follow(now.busy_seconds);
    plans.follow(now.plans);
    fallbacks.follow(now.fallbacks);
    ties.follow(now.unanswered);
    plain.set(static_cast<double>(now.lists.plain.bytes));
    made.follow(now.lists.plain.made);
    used.follow(now.lists.plain.used);
  });
}

}  // namespace

Result<std::unique_ptr<Accelerator>> make_accelerator(int device, const GpuMemory& memory, engine::QueryEngine& below,
                                                      metrics::Registry& registry) {
  auto engine = FROND_TRY(gpu::GpuEngine::create(
      {.device = device, .memory_bytes = memory.all_bytes, .plain = {.bytes = memory.plain_bytes}}, below));
  export_counters(registry, *engine, memory.plain_bytes);
  return std::unique_ptr<Accelerator>(std::make_unique<Gpu>(std::move(engine)));
}

}  // namespace frond::leaf
