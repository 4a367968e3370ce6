#include "leaf/gpu/gpu_engine.h"
#include "leaf/gpu/list_image.h"
#include "tools/bench/gpu/bench_gpu.h"

namespace frond::tools::bench {
namespace {

using leaf::gpu::BatchSteps, leaf::gpu::DeviceCache, leaf::gpu::GpuEngine;

class Gpu final : public BenchGpu {
 public:
  explicit Gpu(std::unique_ptr<GpuEngine> engine) : engine_(std::move(engine)) {}
  leaf::engine::QueryEngine& engine() override { return *engine_; }
  Counters counters() const override {
    const auto now = engine_->counters();
    return {now.lists.bytes, now.lists.copied_bytes,  now.lists.damaged + now.lists.too_large,
            now.fallbacks,   now.lists.plain.entries, now.lists.plain.bytes};
  }
  std::vector<Step> steps() const override {
    constexpr std::string_view kNames[BatchSteps::kSteps] = {"build", "start", "search", "select", "outcomes"};
    const auto now = engine_->steps();
    std::vector<Step> steps;
    for (std::size_t i = 0; i < BatchSteps::kSteps; ++i) steps.push_back({kNames[i], now.microseconds[i]});
    return steps;
  }

 private:
  std::unique_ptr<GpuEngine> engine_;
};

}  // namespace

Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions& options, leaf::engine::QueryEngine& below) {
  auto engine = FROND_TRY(GpuEngine::create({.device = options.device,
                                             .memory_bytes = options.memory_bytes,
                                             .copying = DeviceCache::Copying::kByTheCaller,
                                             .plain = {.bytes = options.plain_bytes, .pays = 0},
                                             .timed = options.timed,
                                             .by_bucket = options.by_bucket},
                                            below));
  return std::unique_ptr<BenchGpu>(std::make_unique<Gpu>(std::move(engine)));
}

Result<std::size_t> bytes_on_device(const postings::PostingList& list, std::uint32_t documents) {
  return FROND_TRY(leaf::gpu::ListImage::plan(list, documents)).bytes();
}

}  // namespace frond::tools::bench
