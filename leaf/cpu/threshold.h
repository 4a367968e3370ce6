#pragma once
// The k best documents of a partition so far, and the score that a document must reach to be a hit: the highest of
// their k-th best plus one, the score known at the start, and the floor raised by the query's other partitions.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "common/topk/top_k.h"
#include "leaf/cpu/hidden.h"
#include "leaf/cpu/kernels.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Loops over blocks check the deadline once in this many blocks, about four thousand postings.
inline constexpr std::uint32_t kBlocksBetweenGlances = 32;
inline Error deadline_passed() { return Error(Code::kDeadline, "the deadline passed during evaluation"); }

class Threshold {
 public:
  // Keeps a reference to the plan.
  explicit Threshold(const engine::Plan& plan) : plan_(plan), best_(plan.k) {}

  // At least k documents of this partition are known to reach `score`.
  void start_at(scoring::Score score) {
    start_ = std::max(start_, score);
    if (plan_.floor) plan_.floor->raise(score);
  }
  // A document with a lower score need not be offered. 64 bits, for comparison with sums of bounds.
  std::uint64_t least() const {
    const scoring::Score known = plan_.floor ? std::max(start_, plan_.floor->get()) : start_;
    return std::max(known, best_.entry());
  }
  // docIDs ascend, also from one call to the next. Hidden documents are dropped, from `documents` too.
  void offer(Selection documents, std::size_t count) {
    if (plan_.hidden != nullptr) count = drop_hidden(*plan_.hidden, documents, count);
    for (std::size_t i = 0; i < count; ++i)
      best_.offer({plan_.placement.ordinal(documents.docids[i]), documents.scores[i]});
    // Raised to the k-th best score, not above: documents of other partitions may tie with it and have lower ordinals.
    if (count && plan_.floor && plan_.k && best_.full()) plan_.floor->raise(best_.entry() - 1);
  }
  std::vector<topk::Hit> take() { return best_.take(); }

 private:
  const engine::Plan& plan_;
  topk::TopK best_;
  scoring::Score start_ = 0;
};

}  // namespace frond::leaf::cpu
