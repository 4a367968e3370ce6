#pragma once
// One search in flight: its resolved terms, one slot a partition, and the waves of tasks (AND, then perhaps OR) that
// fill them. Lives in the closures of its tasks. A slot is written by one task at a time; the countdown orders its
// writes before the finisher's reads.
#include <atomic>
#include <memory>
#include <optional>
#include <span>

#include "common/base/mutex.h"
#include "leaf/serve/known_terms.h"
#include "leaf/serve/search_handler.h"

namespace frond::leaf::serve {

class SearchQuery : public std::enable_shared_from_this<SearchQuery> {
 public:
  SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request, Deadline deadline,
              SearchHandler::Done done);
  void start();

 private:
  struct Slot {
    const generation::ServedPartition* partition = nullptr;
    bool costly = false;  // the costly threads' from now on
    std::optional<wire::Unsearched> failed;
    std::vector<lists::ListLease> lists;  // of known_, once fetched; both waves use them
    engine::Outcome conjunction, disjunction;
    wire::PartitionProfile profile;
  };

  void launch(engine::Mode mode, schedule::Lane lane);
  void submit(std::span<Slot* const> slots, engine::Mode mode, schedule::Lane lane);
  schedule::Scheduler& scheduler_of(const Slot& slot) const { return slot.costly ? *parts_.costly : parts_.scheduler; }
  // May the task's plan go to the GPU? Not the second time.
  enum class Processors : std::uint8_t { kAny, kCpuOnly };
  void run(Slot& slot, engine::Mode mode, Processors processors, const Result<std::chrono::microseconds>& waited);
  bool may_use_gpu(Processors processors) const;
  std::uint64_t postings_of(const Slot& slot) const;
  bool is_too_much_here(const Slot& slot) const;
  void look_up_once();
  bool evaluate(Slot& slot, engine::Mode mode, Processors processors);
  bool move(Slot& slot, engine::Mode mode, Processors processors);
  Result<std::optional<engine::Plan>> prepare(Slot& slot, engine::Mode mode);
  bool submit_to_gpu(Slot& slot, const engine::Plan& plan);
  void answer_from_gpu(Slot& slot, engine::Mode mode, schedule::PlanBatcher::Answer answer);
  void take(Slot& slot, engine::Mode mode, Result<engine::Outcome> outcome);
  static Result<void> intact(const Slot& slot);
  void fail(Slot& slot, const Error& why);
  void slot_done(engine::Mode mode);
  Result<void> fetch_lists(Slot& slot);
  std::uint32_t depth_of(engine::Mode mode) const;
  engine::Plan plan_for(const Slot& slot, engine::Mode mode);
  Result<engine::Outcome> search(Slot& slot, const engine::Plan& plan);
  void wave_done(engine::Mode mode);
  bool needs_disjunction() const;
  wire::Ranking merged(engine::Mode mode);
  void finish();

  const SearchParts& parts_;
  SearchMetrics& metrics_;
  const wire::SearchRequest request_;
  const Deadline deadline_;
  const SearchHandler::Done done_;
  std::shared_ptr<const generation::ServedGeneration> generation_;
  std::vector<Slot> slots_;
  std::atomic<std::size_t> left_{0};  // tasks of this wave
  engine::SharedFloor and_floor_, or_floor_;
  std::atomic<bool> misled_{false};  // a partition was lost while it was searched
  bool has_and_ = false, has_or_ = false;

  // By the first task: look-ups may touch the disk, so not on the I/O thread.
  Mutex look_up_;
  bool looked_up_ FROND_GUARDED_BY(look_up_) = false;
  Result<KnownTerms> known_ = KnownTerms();  // written under look_up_, read behind look_up_once()
};

}  // namespace frond::leaf::serve
