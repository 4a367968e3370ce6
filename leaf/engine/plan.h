#pragma once
// A query on one partition, with everything resolved: lists, weights, statistics. What an engine is given.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/placement.h"
#include "common/scoring/bm25.h"
#include "common/topk/hit.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::engine {

enum class Mode : std::uint8_t { kAnd, kOr };  // `auto` is decided above the engines: AND, then OR where it is short

// The best k-th score any partition of this query has reached on this leaf: a document of a lower score can't be among
// the k. Relaxed atomics: a late view only costs work, never an answer.
class SharedFloor {
 public:
  scoring::Score get() const { return floor_.load(std::memory_order_relaxed); }
  void raise(scoring::Score score) {
    auto now = floor_.load(std::memory_order_relaxed);
    while (now < score && !floor_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<scoring::Score> floor_{0};
};

struct PlanTerm {
  lists::ListLease list;
  float weight = 0;            // scoring::term_weight, with the query frequency in it
  scoring::BoundScale bounds;  // packed deficits -> upper bounds of contributions
};

struct Plan {
  static constexpr std::uint64_t kCountAll = ~std::uint64_t{0};
  static constexpr std::uint64_t kCountOfLeaves = 1000;  // what a leaf asks for, or k if that is more

  Mode mode = Mode::kOr;
  std::uint32_t k = 10;  // 0 .. 10,000 (offset + k of the request)
  // kAnd: all matches are counted where there are no more than so many. Where there are more, at least so many are, and
  // an engine may skip what can't be among the k. kOr: engines stop counting where they will.
  std::uint64_t count_to = kCountAll;
  std::vector<PlanTerm>
      terms;  // distinct terms, in the query's order. kAnd: one may be empty, then nothing matches. kOr: none is empty.
  std::span<const std::uint32_t> lengths;  // of the partition's documents
  std::uint64_t partition = 0;             // ListKey::partition of the lists: engines keep copies of lengths under it
  scoring::LengthNorm norm;
  Placement placement;  // of the partition's documents
  Deadline deadline = Deadline::never();
  SharedFloor* floor = nullptr;  // may be null; documents with score < floor->get() may be left out
};

// What an engine answers for one plan.
struct Outcome {
  std::vector<topk::Hit> hits;  // best first, at most k; all documents with score >= max(floor, k-th best) are there
  std::uint64_t matches = 0;    // documents that match; where !exact a lower bound, never below the hits
  bool exact = true;
  std::uint64_t postings_decoded = 0;  // for profiles
};

}  // namespace frond::leaf::engine
