#include "leaf/gpu/gpu_devices.h"
#include "tools/bench/gpu/bench_gpu.h"

namespace frond::tools::bench {
namespace {

using leaf::gpu::BatchSteps, leaf::gpu::DeviceCache, leaf::gpu::GpuDevices, leaf::gpu::GpuEngine, leaf::gpu::Sums;

Sums sums_named(std::string_view name) {
  if (name == "always") return Sums::kAlways;
  return name == "never" ? Sums::kNever : Sums::kWhereFaster;
}

class Gpu final : public BenchGpu {
 public:
  explicit Gpu(std::unique_ptr<GpuDevices> devices) : devices_(std::move(devices)) {}
  leaf::engine::QueryEngine& engine() override { return *devices_; }
  Counters counters() const override {
    Counters sum;
    for (std::size_t i = 0; i < devices_->count(); ++i) {
      const auto now = devices_->engine(i).counters();
      sum.held_bytes += now.lists.bytes;
      sum.copied_bytes += now.lists.copied_bytes;
      sum.refused += now.lists.damaged + now.lists.too_large;
      sum.fallbacks += now.fallbacks;
    }
    return sum;
  }
  std::vector<Step> steps() const override {
    constexpr std::string_view kNames[BatchSteps::kSteps] = {"build", "start", "search", "select", "outcomes"};
    std::vector<Step> steps;
    for (const std::string_view name : kNames) steps.push_back({name, 0});
    for (std::size_t i = 0; i < devices_->count(); ++i) {
      const auto now = devices_->engine(i).steps();
      for (std::size_t step = 0; step < BatchSteps::kSteps; ++step) steps[step].microseconds += now.microseconds[step];
    }
    return steps;
  }

 private:
  std::unique_ptr<GpuDevices> devices_;
};

}  // namespace

Result<std::unique_ptr<BenchGpu>> make_bench_gpu(const BenchGpuOptions& options, leaf::engine::QueryEngine& below) {
  std::vector<std::unique_ptr<GpuEngine>> engines;
  for (const int device : options.devices) {
    auto engine = FROND_TRY(GpuEngine::create({.device = device,
                                               .memory_bytes = options.memory_bytes,
                                               .copying = DeviceCache::Copying::kByTheCaller,
                                               .timed = options.timed,
                                               .sums = sums_named(options.sums),
                                               .by_bucket = options.by_bucket},
                                              below));
    engines.push_back(std::move(engine));
  }
  return std::unique_ptr<BenchGpu>(std::make_unique<Gpu>(std::make_unique<GpuDevices>(std::move(engines), below)));
}

}  // namespace frond::tools::bench
