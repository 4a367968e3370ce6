#pragma once
// What all searches of a leaf use, and the metrics that they share.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <vector>

#include "common/base/complaint.h"
#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "common/topk/hit.h"
#include "common/wire/messages.h"
#include "leaf/collect/collect.h"
#include "leaf/engine/plan.h"
#include "leaf/engine/query_engine.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/list_store.h"
#include "leaf/schedule/query_scheduler.h"
#include "leaf/schedule/scheduler.h"
#include "leaf/serve/analyzer_pool.h"
#include "leaf/serve/search/at_once.h"
#include "leaf/serve/search/filter_cache.h"
#include "leaf/serve/search/term_table.h"

namespace frond::leaf::serve {

// The time between two instants, in the units of profiles and of metrics.
inline std::uint64_t micros_between(Instant from, Instant to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(to - from).count());
}

inline double seconds_between(Instant from, Instant to) { return std::chrono::duration<double>(to - from).count(); }

// Compares a share of the GPU's answers with the CPU's, which must be the same to the byte. Counts them, and logs each
// difference with what is needed to ask again. Thread-safe.
class AnswerCheck {
 public:
  // `share` of the answers, 0 .. 1, spread evenly. `log` outlives this; `registry` may be null.
  AnswerCheck(double share, Logger& log, metrics::Registry* registry);

  // Whether to compare the next answer.
  bool due();
  // Over the same partitions. Returns whether both are the same.
  struct Answer {
    std::vector<topk::Hit> hits;  // the best, or the first
    std::uint64_t matches = 0;    // compared where the request ranks nothing: then both have counted all
  };
  bool same(const Answer& gpu, const Answer& cpu, const wire::SearchRequest& request, engine::Mode mode);

 private:
  const std::uint32_t step_;  // of 2^32: an answer is due whenever the sum of steps overflows
  std::atomic<std::uint32_t> sum_{0};
  Logger& log_;
  metrics::Counter checked_, mismatched_;
};

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
  Complaint* slow = nullptr;                // null: slow searches are not logged
  schedule::Scheduler* costly = nullptr;    // null: `scheduler` runs everything
  // `costly` searches a partition with about costly_postings or more. Partitions with at most small_postings never move
  // to `costly`, and no second worker is asked to share a search of such partitions.
  std::uint64_t costly_postings = ~std::uint64_t{0}, small_postings = 20'000;
  TermTable* terms = nullptr;                 // null: each search looks its terms up by itself
  FilterCache* filters = nullptr;             // null: each search evaluates its filter by itself
  AnalyzerPool* analyzers = nullptr;          // for the texts of clauses; null: each search makes its own
  std::size_t max_expansions = 1024;          // of a prefix or wildcard (leaf/clauses/resolve/resolver.h)
  collect::KeywordCache* keywords = nullptr;  // null: each search numbers keywords by itself
  std::size_t max_facet_buckets = 100'000;    // of all facets of a search; at most wire::kMaxFacetBuckets
  std::size_t max_sort_bytes = collect::kMaxRankingSortBytes;  // of all hits of a search with an order
  std::size_t max_reply_bytes = wire::kMaxMessageBytes;        // a larger reply goes without documents
  AtOnce* at_once = nullptr;                                   // null: every search waits for a worker
  // The lists on the GPU; null: plans for the GPU have lists in host memory, and it looks for its own by their keys.
  lists::DeviceLists* device = nullptr;
};

// Counters and histograms of all searches of a leaf.
struct SearchMetrics {
  explicit SearchMetrics(const SearchParts& parts);
  metrics::Histogram engine, gpu, exhaustive, clauses, collect, lists;
  metrics::Counter postings;
  metrics::Counter unsearched[std::size(wire::kUnsearchedReasons)];  // by wire::UnsearchedReason
};

}  // namespace frond::leaf::serve
