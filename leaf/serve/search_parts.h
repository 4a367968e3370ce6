#pragma once
// What all searches of a leaf use, and the metrics that they share.
#include <cstdint>
#include <iterator>

#include "common/base/deadline.h"
#include "common/metrics/registry.h"
#include "common/wire/messages.h"
#include "leaf/engine/query_engine.h"
#include "leaf/generation/damage_log.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/device_lists.h"
#include "leaf/lists/list_store.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/scheduler.h"
#include "leaf/serve/answer_check.h"
#include "leaf/serve/term_table.h"

namespace frond::leaf::serve {

// All outlive every search: drain the schedulers first.
struct SearchParts {
  const generation::ServedBoard& board;
  lists::ListStore& lists;
  engine::QueryEngine& engine;      // for processor cpu; for auto and gpu if there is no GPU
  engine::QueryEngine& exhaustive;  // for processor exhaustive, and for plans that `engine` cannot run
  schedule::Scheduler& scheduler;
  const Clock& clock;
  metrics::Registry* registry = nullptr;  // null: nothing is measured
  // Decides which searches the GPU runs; its pool is `scheduler`. Null: there is no GPU.
  schedule::QueryScheduler* queries = nullptr;
  // Searches with fewer postings in each partition run on the CPU, unless the request asks for the GPU.
  std::uint64_t min_gpu_postings = 0;
  AnswerCheck* check = nullptr;             // null: the GPU's answers are not compared
  generation::DamageLog* damage = nullptr;  // null: damage is not logged
  schedule::Scheduler* costly = nullptr;    // null: `scheduler` runs everything
  // `costly` searches a partition with about costly_postings or more. Partitions with at most small_postings never move
  // to `costly`, and no second worker is asked to share a search of such partitions.
  std::uint64_t costly_postings = ~std::uint64_t{0}, small_postings = 20'000;
  TermTable* terms = nullptr;  // null: each search looks its terms up by itself
  // The lists on the GPU; null: plans for the GPU have lists in host memory, and it looks for its own by their keys.
  lists::DeviceLists* device = nullptr;
};

// Counters and histograms of all searches of a leaf.
struct SearchMetrics {
  explicit SearchMetrics(const SearchParts& parts);
  metrics::Histogram engine, gpu, exhaustive, lists;
  metrics::Counter postings;
  metrics::Counter unsearched[std::size(wire::kUnsearchedReasons)];  // by wire::UnsearchedReason
};

}  // namespace frond::leaf::serve
