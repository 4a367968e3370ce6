#pragma once
// The engine `gpu`: plans whose lists lie on the device run there, in batches; all others run on the engine below, the
// CPU's, on the caller's thread: lists not there yet, codecs without a decoder, damaged bytes, more than kMostHits
// hits, thousands of equal scores, a full or lost device. So every plan is answered, with the same bytes, whatever the
// device does.
//
// Callers that come while a batch runs are taken together by the next: the busier, the larger the batches. (Ding et al.
// 2009, 7 and 8: ranked queries on the GPU and its list cache; that paper evaluates one query at a time.)
//
// A failed device operation is for good: the state is kLost from then on and the device is left alone.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <vector>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "leaf/engine/query_engine.h"
#include "leaf/gpu/batch_runner.h"
#include "leaf/gpu/device_cache.h"

namespace frond::leaf::gpu {

class GpuEngine final : public QueryEngine {
 public:
  struct Options {
    int device = 0;
    std::size_t memory_bytes = std::size_t{4} << 30;  // of the device, all of it: workspaces, and the rest for lists
    std::uint32_t runners = 2;                        // batches that are on the way at a time
    std::chrono::milliseconds patience{2000};         // a batch that takes longer means a lost device
    DeviceCache::Copying copying = DeviceCache::Copying::kInBackground;
  };
  enum class State { kReady, kLost };
  struct Counters {
    std::uint64_t batches = 0, plans = 0;  // run on the device
    std::uint64_t fallbacks = 0;           // plans that the engine below answered
    std::uint64_t unanswered = 0;          // of these: the device ran them and could not tell the k best apart
    DeviceCache::Counters lists;
  };

  // `below` outlives this. kDevice: no such device, or not so much memory.
  static Result<std::unique_ptr<GpuEngine>> create(const Options& options, QueryEngine& below);
  ~GpuEngine() override;

  std::string_view name() const override { return "gpu"; }
  bool can_run(const Plan& plan) const override { return below_.can_run(plan); }
  std::vector<Result<Outcome>> search(std::span<const Plan> plans, const Clock& clock) override;

  State state() const { return lost_.load(std::memory_order_relaxed) || cache_->lost() ? State::kLost : State::kReady; }
  Counters counters() const;
  DeviceCache& cache() { return *cache_; }
  std::size_t list_bytes() const { return arena_.bytes(); }

 private:
  // Plans of one caller; the caller waits until they are done.
  struct Request {
    std::vector<ReadyPlan> plans;
    std::vector<RunOutcome> outcomes;  // empty: the device failed
    bool done = false;
  };

  GpuEngine(const Options& options, QueryEngine& below, device::Memory memory,
            std::vector<std::unique_ptr<BatchRunner>> runners);
  void run_together(Request& request, const Clock& clock);
  void run_batch(BatchRunner& runner, std::span<Request* const> requests, const Clock& clock);

  const Options options_;
  QueryEngine& below_;
  device::Memory memory_;
  device::Arena arena_;
  std::unique_ptr<DeviceCache> cache_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> batches_{0}, plans_{0}, fallbacks_{0}, unanswered_{0};

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Request*> waiting_ FROND_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<BatchRunner>> idle_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::gpu
