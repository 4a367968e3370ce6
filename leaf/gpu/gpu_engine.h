#pragma once
// The engine `gpu`: plans whose lists lie on the device run there, in batches; all others run on the engine below, the
// CPU's, on the caller's thread: lists not there yet, codecs without a decoder, damaged bytes, more than kMaxHits
// hits, thousands of equal scores, a full or lost device. So every plan is answered, with the same bytes, whatever the
// device does.
//
// A search that finds a runner idle starts at once, on its caller's thread. What comes while all runners are busy waits
// and is taken together: the busier, the larger the batches. A large search is cut into parts, so that one is prepared
// while another is on the device. (Ding et al. 2009, 7 and 8: ranked queries on the GPU and its list cache; that paper
// evaluates one query at a time.)
//
// A failed device operation is for good: the state is kLost from then on and the device is left alone. The same holds
// where the host runs out of memory while a batch is on the device, as its end is not waited for then. Where that
// happens before or after, the plans of the batch go to the engine below; where a caller has no memory to prepare his
// plans, std::bad_alloc is thrown, after all that he gave to the device has come back.
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
    std::size_t memory_bytes = std::size_t{4} << 30;  // of the device, all of it: workspaces, and the rest for lists
    std::uint32_t runners = 3;                        // batches that are on the way at a time
    std::chrono::milliseconds patience{2000};         // a batch that takes longer means a lost device
    DeviceCache::Copying copying = DeviceCache::Copying::kInBackground;
    bool timed = false;  // steps() tells the device's steps too
  };
  enum class State { kReady, kLost };
  struct Counters {
    std::uint64_t batches = 0, plans = 0;  // run on the device
    std::uint64_t fallbacks = 0;           // plans that the engine below answered
    std::uint64_t unanswered = 0;          // of these: the device ran them and could not tell the k best apart
    double busy_seconds = 0;               // the device was at work on batches; see BusyTime
    DeviceCache::Counters lists;
  };

  // `below` outlives this. kDevice: no such device, or not so much memory.
  static Result<std::unique_ptr<GpuEngine>> create(const Options& options, engine::QueryEngine& below);
  ~GpuEngine() override;

  std::string_view name() const override { return "gpu"; }
  bool can_run(const engine::Plan& plan) const override { return below_.can_run(plan); }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;
  // As search(), without the engine below: nothing for a plan that it must answer. Those count as fallbacks.
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                 const Clock& clock);

  State state() const { return lost_.load(std::memory_order_relaxed) || cache_->lost() ? State::kLost : State::kReady; }
  Counters counters() const;
  // Of all batches so far, while no search is on its way.
  BatchSteps steps() const;
  DeviceCache& cache() { return *cache_; }
  std::size_t list_bytes() const { return arena_.bytes(); }

 private:
  // Plans of one caller that are run together; the caller waits until they are done.
  struct Request {
    std::vector<ReadyPlan> plans;
    std::vector<std::size_t> places;   // of the plans, among the caller's
    std::vector<RunOutcome> outcomes;  // empty: the device failed, or memory ran out
    bool done = true;                  // or never submitted
  };
  // On its way. No requests: there is none.
  struct Batch {
    std::unique_ptr<BatchRunner> runner;
    std::list<Request*> requests;
  };

  GpuEngine(const Options& options, engine::QueryEngine& below, std::unique_ptr<BusyTime> busy, device::Memory memory,
            std::vector<std::unique_ptr<BatchRunner>> runners);
  struct Parts;
  void submit(Request& request);
  // From here on nothing throws: others may wait for what this thread brings to its end.
  void wait_for(const Request& request, const Clock& clock) noexcept;
  void start_waiting() noexcept;
  Batch take_waiting();
  Batch take_running(const Request& request) FROND_REQUIRES(mutex_);
  void finish(Batch batch, const Clock& clock) noexcept;
  // Whether it succeeded; a failure of the device is for good.
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
  // Requests go from list to list and runners have their places reserved, so that no step on the way allocates.
  std::list<Request*> waiting_ FROND_GUARDED_BY(mutex_);
  std::vector<Batch> running_ FROND_GUARDED_BY(mutex_);  // the oldest first
  std::vector<std::unique_ptr<BatchRunner>> idle_ FROND_GUARDED_BY(mutex_);
};

}  // namespace frond::leaf::gpu
