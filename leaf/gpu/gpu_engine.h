#pragma once
// The engine `gpu`. Plans whose lists are on the device run there, in batches. All other plans run on the engine below,
// the CPU's, on the caller's thread: lists not yet copied, codecs that the device cannot decode, corrupt bytes, more
// than kMaxHits hits, thousands of equal scores, a full or lost device. So every plan is answered, with the same hits.
//
// A search that finds an idle runner starts at once, on its caller's thread. Plans that come while all runners are busy
// wait and then run together, so batches grow with load. A large search is cut into parts, so that one part is prepared
// while another is on the device. (Ding et al. 2009, 7 and 8, rank queries and cache lists on the GPU; they evaluate
// one query at a time.)
//
// After a failed device operation the state is kLost for good, and the device is not used any more. The same happens
// when the host runs out of memory while a batch is on the device, because nothing waits for that batch then. When
// memory runs out before or after, the batch's plans go to the engine below. When it runs out while a caller's plans
// are prepared, search() throws std::bad_alloc, after everything that it submitted has ended.
#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "leaf/engine/query_engine.h"
#include "leaf/gpu/batch_runner.h"
#include "leaf/gpu/device_cache.h"

namespace frond::leaf::gpu {

class GpuEngine final : public engine::QueryEngine {
 public:
  struct Options {
    int device = 0;
    std::size_t memory_bytes = std::size_t{4} << 30;  // device memory to use: for workspaces, the rest for lists
    std::uint32_t runners = 3;                        // batches in progress at a time
    std::chrono::milliseconds patience{2000};         // the device is lost if a batch takes longer
    DeviceCache::Copying copying = DeviceCache::Copying::kInBackground;
    bool timed = false;  // steps() has the device's steps too
  };
  enum class State { kReady, kLost };
  struct Counters {
    std::uint64_t batches = 0, plans = 0;  // run on the device
    std::uint64_t fallbacks = 0;           // plans that the engine below answered
    std::uint64_t unanswered = 0;          // of these: ran on the device, which could not tell the k best apart
    double busy_seconds = 0;               // in which the device worked on batches (busy_time.h)
    DeviceCache::Counters lists;
  };

  // `below` outlives the engine. kDevice: no such device, or it has less memory. kInvalid: too little memory_bytes for
  // a workspace.
  static Result<std::unique_ptr<GpuEngine>> create(const Options& options, engine::QueryEngine& below);
  ~GpuEngine() override;

  std::string_view name() const override { return "gpu"; }
  bool can_run(const engine::Plan& plan) const override { return below_.can_run(plan); }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;
  // As search(), but without running the engine below: nothing for a plan that it must answer. Those count as
  // fallbacks.
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                 const Clock& clock);

  State state() const { return lost_.load(std::memory_order_relaxed) || cache_->lost() ? State::kLost : State::kReady; }
  Counters counters() const;
  // Sums over all batches so far. Call it while no search is in progress.
  BatchSteps steps() const;
  DeviceCache& cache() { return *cache_; }
  std::size_t list_bytes() const { return arena_.bytes(); }

 private:
  // Plans of one caller that run in one batch; the caller waits until they are done.
  struct Request {
    std::vector<ReadyPlan> plans;
    std::vector<std::size_t> places;   // of the plans, among the caller's
    std::vector<RunOutcome> outcomes;  // of the plans; empty: the device failed, or memory ran out
    bool done = true;                  // true also before it is submitted
  };
  // A batch in progress. No runner: no batch.
  struct Batch {
    std::unique_ptr<BatchRunner> runner;
    std::list<Request*> requests;
  };

  GpuEngine(const Options& options, engine::QueryEngine& below, std::unique_ptr<BusyTime> busy, device::Memory memory,
            std::vector<std::unique_ptr<BatchRunner>> runners);
  struct Parts;
  void submit(Request& request);
  // These do not throw: other callers may wait for the batch that this thread finishes or starts.
  void wait_for(const Request& request, const Clock& clock) noexcept;
  void start_waiting() noexcept;
  Batch take_waiting();
  Batch take_running(const Request& request) FROND_REQUIRES(mutex_);
  void finish(Batch batch, const Clock& clock) noexcept;
  // Whether the operation succeeded. A device error makes the state kLost.
  template <class T>
  bool succeeded(const Result<T>& result) {
    if (!result && result.error().code() == Code::kDevice) lost_.store(true, std::memory_order_relaxed);
    return result.has_value();
  }

  const Options options_;
  engine::QueryEngine& below_;
  const std::unique_ptr<BusyTime> busy_;  // of the runners
  device::Memory memory_;
  device::Arena arena_;
  std::unique_ptr<DeviceCache> cache_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> batches_{0}, plans_{0}, fallbacks_{0}, unanswered_{0};

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  // Requests are spliced from list to list, and running_ has its memory reserved, so that moving them never allocates.
  std::list<Request*> waiting_ FROND_GUARDED_BY(mutex_);
  std::vector<Batch> running_ FROND_GUARDED_BY(mutex_);  // the oldest first
  std::vector<std::unique_ptr<BatchRunner>> idle_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::gpu
