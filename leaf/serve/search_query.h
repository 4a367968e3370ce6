#pragma once
// One search in flight. A SearchRequest becomes one task a partition, each a plan for an engine; the last task to
// finish merges the hits and replies. The closures of its tasks own the object.
//
// Mode `auto` runs AND on all partitions first. It then also runs OR if AND on this leaf has fewer matches than the
// broker needs. So the broker can decide over all leaves without a second request. A partition that could not be
// searched, with AND or with OR, is unsearched: the reply has its reason and none of its hits. The hits of the other
// partitions are in the reply.
//
// Work that costs many times the usual has threads of its own, so that it does not delay other searches. This is:
// requests that are costly by themselves (common/wire/cost.h), and partitions in which the terms have many postings
// (known after the look-up of the terms). Partitions of medium size stay on the usual threads while no task waits there
// and another worker is idle.
//
// Plans for a GPU go to its batcher, and the worker takes other tasks. If the GPU does not answer a plan or has no room
// for it, the plan runs on the CPU within the same deadline.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leaf/serve/search_parts.h"
#include "leaf/serve/search_plans.h"

namespace frond::leaf::serve {

class SearchQuery : public std::enable_shared_from_this<SearchQuery> {
 public:
  using Done = std::function<void(wire::SearchReply)>;

  // `parts` and `metrics` outlive the search. `deadline` counts from the request's arrival; what it points to lives as
  // long as `done`. `done` is called once: during start() or later, on any thread. The reply to a cancelled search is
  // empty.
  SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request, Deadline deadline,
              Done done);
  // Call once. A shared_ptr must own the object.
  void start();

 private:
  // A partition of the search. One task at a time writes it; the countdown of tasks orders these writes before the
  // reads of the task that finishes.
  struct Slot {
    const generation::ServedPartition* partition = nullptr;
    bool costly = false;  // the costly threads run its tasks from now on
    std::optional<wire::UnsearchedReason> unsearched;
    std::vector<lists::ListLease> lists;  // of the known terms, once fetched; AND and OR both use them
    engine::Outcome conjunction, disjunction;
    wire::PartitionProfile profile;
  };
  // Which processors may run a task's plan. A plan that the GPU handed back runs only on the CPU.
  enum class Processors : std::uint8_t { kAny, kCpuOnly };

  // Submits tasks that run AND or OR on every partition that is not yet unsearched.
  void launch(engine::Mode mode, schedule::Lane lane);
  void submit(std::span<Slot* const> slots, engine::Mode mode, schedule::Lane lane);
  schedule::Task task(Slot& slot, engine::Mode mode, Processors processors, std::uint64_t weight);
  schedule::Scheduler& scheduler_of(const Slot& slot) const { return slot.costly ? *parts_.costly : parts_.scheduler; }
  void run(Slot& slot, engine::Mode mode, Processors processors, const Result<std::chrono::microseconds>& waited);
  bool evaluate(Slot& slot, engine::Mode mode, Processors processors);
  // Choice of where a plan runs.
  bool may_use_gpu(Processors processors) const;
  bool is_too_much_here(const Slot& slot) const;
  bool move(Slot& slot, engine::Mode mode, Processors processors);
  bool submit_to_gpu(Slot& slot, const engine::Plan& plan);
  void answer_from_gpu(Slot& slot, engine::Mode mode, schedule::PlanBatcher::Answer answer);
  Result<engine::Outcome> search(Slot& slot, const engine::Plan& plan);
  // Results.
  engine::SharedFloor& floor_of(engine::Mode mode) { return mode == engine::Mode::kAnd ? and_floor_ : or_floor_; }
  void take(Slot& slot, engine::Mode mode, Result<engine::Outcome> outcome);
  static Result<void> intact(const Slot& slot);
  void fail(Slot& slot, const Error& why);
  void slot_done(engine::Mode mode);
  void wave_done(engine::Mode mode);
  bool needs_disjunction() const;
  wire::Ranking merged(engine::Mode mode);
  void finish();

  const SearchParts& parts_;
  SearchMetrics& metrics_;
  const wire::SearchRequest request_;
  const Deadline deadline_;
  const Done done_;
  const std::shared_ptr<const generation::ServedGeneration> generation_;  // null: this leaf does not serve it
  SearchPlans plans_;
  std::vector<Slot> slots_;
  std::atomic<std::size_t> left_{0};  // tasks of this wave
  engine::SharedFloor and_floor_, or_floor_;
  std::atomic<bool> damage_found_{false};  // a partition was found damaged after it was searched
  bool has_and_ = false, has_or_ = false;
};

}  // namespace frond::leaf::serve
