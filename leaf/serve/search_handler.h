#pragma once
// Answers searches: a SearchRequest becomes one task a partition, each a Plan for an engine; the last to finish merges.
//
// Mode `auto` runs AND on all partitions first, and OR too where the leaf's own AND is short of what the broker needs:
// so the broker decides over all leaves without asking twice. A partition that could not be searched, with AND or with
// OR, is named in the reply with its reason and has no part in it; the others' hits are sent all the same.
//
// What costs many times the usual has threads of its own, so that it holds nobody else up: searches that ask for much
// (common/wire/cost.h), and partitions in which the terms have many postings, which is known once they are looked up.
// Those of medium size stay where they are as long as nobody waits and another worker is idle.
//
// Plans for a GPU are handed to its batcher, and the worker goes on with other tasks. What the GPU does not answer, or
// has no room for, the CPU's engine does, within the same deadline.
#include <functional>

#include "common/metrics/registry.h"
#include "common/wire/messages.h"
#include "leaf/engine/query_engine.h"
#include "leaf/generation/damage_log.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/list_store.h"
#include "leaf/schedule/plan_batcher.h"
#include "leaf/schedule/scheduler.h"

namespace frond::leaf::serve {

// What a search works with; all outlive every search (so: drain the scheduler first).
struct SearchParts {
  const generation::ServedBoard& board;
  lists::ListStore& lists;
  engine::QueryEngine& engine;      // for processor cpu, and for auto and gpu where there is no GPU
  engine::QueryEngine& exhaustive;  // for processor exhaustive, and plans that `engine` can't run
  schedule::Scheduler& scheduler;
  const Clock& clock;
  metrics::Registry* registry = nullptr;  // may be null
  schedule::PlanBatcher* gpu = nullptr;   // null: there is none
  // Plans of fewer postings are the CPU's, unless the request asks for the GPU.
  std::uint64_t gpu_least_postings = 0;
  generation::DamageLog* damage = nullptr;  // may be null
  schedule::Scheduler* costly = nullptr;    // null: everything is `scheduler`'s
  // A partition with about so many postings or more is searched there; of so few or fewer never.
  std::uint64_t costly_postings = ~std::uint64_t{0}, small_postings = 20'000;
};

// Metrics of the searches of a leaf.
struct SearchMetrics {
  explicit SearchMetrics(const SearchParts& parts);
  metrics::Histogram engine, gpu, exhaustive, lists;
  metrics::Counter postings;
  metrics::Counter unsearched[5];  // by wire::Unsearched
};

class SearchHandler {
 public:
  using Done = std::function<void(wire::SearchReply)>;

  explicit SearchHandler(SearchParts parts) : parts_(parts), metrics_(parts) {}
  // `deadline` counts from the request's arrival; what it points to lives as long as `done`, which is called once:
  // during the call or later, on any thread. An answer to what was cancelled is empty.
  void search(wire::SearchRequest request, Deadline deadline, Done done);

 private:
  const SearchParts parts_;
  SearchMetrics metrics_;
};

}  // namespace frond::leaf::serve
