#pragma once
// The engine `gpu`. Plans whose lists are on the device run there, in batches. All other plans run on the engine below,
// the CPU's, on the caller's thread: lists and arrays not yet copied or without room, codecs that the device cannot
// decode, corrupt bytes, more than kMaxHits hits, an AND with thousands of equal scores, a full or lost device. So
// every plan is answered, with the same hits.
//
// The engine has no queue and no threads: the callers form the batches, as the leaf's QueryScheduler does. A search
// takes an idle runner and starts on its caller's thread; when none is idle, it waits for one. A large search is cut
// into parts of at most kMaxQueries plans, and those that are not ranked are parts of their own; so are those of which
// something is counted (Plan::counted, exact_matches), and those with an order, which only try_search() takes. It takes
// more runners for them while some are idle, so that one part is prepared while another is on the device. (Ding et al.
// 2009, 7 and 8, rank queries and cache lists on the GPU; they evaluate one query at a time.)
//
// After a failed device operation the engine is lost for good, and the device is not used any more. The same happens
// when the host runs out of memory while a batch is on the device, because nothing waits for that batch then. When
// memory runs out before or after, the batch's plans go to the engine below. When it runs out while a caller's plans
// are prepared, search() throws std::bad_alloc, after everything that it submitted has ended.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/mutex.h"
#include "common/device/arena.h"
#include "leaf/engine/plan.h"
#include "leaf/engine/query_engine.h"
#include "leaf/gpu/batch_runner.h"
#include "leaf/gpu/chosen_plans.h"
#include "leaf/gpu/device_cache.h"

namespace frond::leaf::gpu {

class GpuEngine final : public engine::QueryEngine, public engine::Accelerator {
 public:
  struct Options {
    int device = 0;
    std::size_t memory_bytes = std::size_t{4} << 30;  // device memory to use: for workspaces, the rest for lists
    std::uint32_t runners = 3;                        // batches in progress at a time
    std::chrono::milliseconds patience{2000};         // the device is lost if a batch takes longer
    DeviceCache::Copying copying = DeviceCache::Copying::kInBackground;
    bool timed = false;              // steps() has the device's steps too
    Sums sums = Sums::kWhereFaster;  // others: for comparison
    bool by_bucket = true;  // counts look documents up by bucket in lists of codec hs-lrc; false: for comparison
  };
  struct Counters {
    std::uint64_t batches = 0, plans = 0;  // run on the device
    std::uint64_t fallbacks = 0;           // plans that the engine below answered
    std::uint64_t unanswered = 0;          // of these: ran on the device, which could not tell the k best apart
    double busy_seconds = 0;               // in which the device worked on batches (busy_time.h)
    DeviceCache::Counters lists;
  };

  // kDevice: no such device, or it has less memory. kInvalid: too little memory_bytes for a workspace.
  // REQUIRES: `below` outlives the engine.
  static Result<std::unique_ptr<GpuEngine>> create(const Options& options, engine::QueryEngine& below);
  ~GpuEngine() override;

  std::string_view name() const override { return "gpu"; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override;
  // As search(), but without running the engine below: nothing for a plan that it must answer. Those count as
  // fallbacks. `times` may be null.
  std::vector<std::optional<Result<engine::Outcome>>> try_search(std::span<const engine::Plan> plans,
                                                                 const Clock& clock,
                                                                 engine::BatchTimes* times = nullptr) override {
    return try_search(ChosenPlans(plans), clock, times);
  }
  // The same for some plans of a call.
  std::vector<std::optional<Result<engine::Outcome>>> try_search(const ChosenPlans& plans, const Clock& clock,
                                                                 engine::BatchTimes* times);
  bool warm(const engine::Plan& plan, std::span<const lists::ListLease> lists) override {
    return cache_->warm(plan, lists);
  }
  // Batches that run at a time: as many as there are runners.
  std::uint32_t streams() const override { return streams_; }

  bool lost() const override { return lost_.load(std::memory_order_relaxed) || cache_->lost(); }
  std::vector<Device> devices() const override { return {{options_.device, lost(), options_.memory_bytes}}; }
  lists::DeviceLists& lists() override { return *cache_; }
  std::string refusals() const override { return cache_->refusals(); }
  void forget(std::uint64_t partition) override { cache_->forget(partition); }
  Counters counters() const;
  // Sums over all batches so far. REQUIRES: no search is in progress.
  BatchSteps steps() const;
  DeviceCache& cache() { return *cache_; }
  std::size_t list_bytes() const { return arena_.bytes(); }

 private:
  // Plans of one caller for one launch, and what it finds of them: hits by score, of words or of clauses, the first
  // hits, those by an order with counts, by columns or by scores among the keys, or counts alone.
  enum class Kind { kRanked, kClauses, kUnranked, kOrders, kScoredOrders, kCounts };
  static bool by_counters(Kind kind) { return kind >= Kind::kOrders; }
  static bool is_part_of(const engine::Plan& plan, Kind kind);
  struct Part {
    Kind kind = Kind::kRanked;
    std::vector<ReadyPlan> plans;
    std::vector<std::size_t> places;      // of the plans, among the caller's
    std::unique_ptr<BatchRunner> runner;  // null: not on the device
    std::vector<RunOutcome> outcomes;     // of the plans; empty: the device failed, or memory ran out
  };

  GpuEngine(const Options& options, engine::QueryEngine& below, std::unique_ptr<BusyTime> busy, device::Memory memory,
            std::vector<std::unique_ptr<BatchRunner>> runners);
  struct Running;
  std::size_t prepare(const ChosenPlans& plans, std::size_t first, Part& part,
                      std::vector<std::optional<Result<engine::Outcome>>>& found, const Clock& clock,
                      engine::BatchTimes& times);
  std::unique_ptr<BatchRunner> idle_runner(bool wait);
  // These two do not throw. They give the runner back unless it has a batch to finish.
  void start(Part& part) noexcept;
  void finish(Part& part, const Clock& clock, engine::BatchTimes* times) noexcept;
  void give_back(std::unique_ptr<BatchRunner> runner) noexcept;
  static void add_counts(const engine::Plan& plan, RunOutcome counted, std::optional<Result<engine::Outcome>>& found);
  // Whether the operation succeeded. A device error loses the engine.
  template <class T>
  bool succeeded(const Result<T>& result) {
    if (!result && result.error().code() == Code::kDevice) lost_.store(true, std::memory_order_relaxed);
    return result.has_value();
  }

  const Options options_;
  engine::QueryEngine& below_;
  const std::uint32_t streams_;
  const std::unique_ptr<BusyTime> busy_;  // of the runners
  device::Memory memory_;
  device::Arena arena_;
  std::unique_ptr<DeviceCache> cache_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> batches_{0}, plans_{0}, fallbacks_{0}, unanswered_{0};

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<BatchRunner>> idle_ FROND_GUARDED_BY(mutex_);  // has room for all
};

}  // namespace frond::leaf::gpu
