#pragma once
// The k best documents of a partition so far, and the score that a document must reach to be a hit: the highest of
// their k-th best plus one, the score known at the start, and the floor raised by the query's other partitions.
//
// Where documents have static priors, algorithms see scores and bounds of the query's terms alone. The prior is added
// here, when a document is offered, and what a prior adds at most is taken off the score that the terms must reach.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/topk/top_k.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/shown_postings.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

// Loops over blocks check the deadline once in this many blocks, about four thousand postings.
inline constexpr std::uint32_t kBlocksBetweenGlances = 32;
inline Error deadline_passed() { return Error(Code::kDeadline, "the deadline passed during evaluation"); }

// Hidden documents: taken out of selections, and counted in lists whose length is the number of matches.

// Drops hidden documents; returns how many are left.
std::size_t drop_hidden(const partition::HiddenDocuments& hidden, Selection documents, std::size_t count);

// The documents of the whole list that are not hidden; moves the reader likewise.
std::uint64_t postings_left(TermReader& term, const engine::Plan& plan);

class Threshold {
 public:
  // Keeps a reference to the plan.
  explicit Threshold(const engine::Plan& plan)
      : plan_(plan),
        best_(plan.k),
        most_prior_(plan.priors == nullptr ? 0 : scoring::weighted(plan.priors->max(), plan.prior_weight)) {}

  // REQUIRES: at least k documents of this partition reach `score`.
  void start_at(scoring::Score score) {
    start_ = std::max(start_, score);
    if (plan_.floor) plan_.floor->raise(score);
  }
  // A document whose terms give a lower score need not be offered. 64 bits, for comparison with sums of bounds.
  std::uint64_t least() const {
    const scoring::Score known = plan_.floor ? std::max(start_, plan_.floor->get()) : start_;
    const scoring::Score least = std::max(known, best_.entry());
    return least > most_prior_ ? least - most_prior_ : 0;
  }
  // From now on least() concerns documents first .. last only. Before the first call it concerns all.
  void look_at(DocId first, DocId last) {
    if (plan_.priors != nullptr) most_prior_ = scoring::weighted(plan_.priors->max_in(first, last), plan_.prior_weight);
  }
  // Hidden documents are dropped, from `documents` too, and priors added to its scores.
  // REQUIRES: docIDs ascend, also from one call to the next.
  void offer(Selection documents, std::size_t count) {
    if (plan_.hidden != nullptr) count = drop_hidden(*plan_.hidden, documents, count);
    if (plan_.priors != nullptr)
      for (std::size_t i = 0; i < count; ++i)
        documents.scores[i] = scoring::with_prior(documents.scores[i], engine::prior_score(plan_, documents.docids[i]));
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
  scoring::Score most_prior_;  // that a document of those looked at has, weighted
};

// A threshold known before any document is evaluated, so that pruning starts at once.
//
// A score that at least k documents reach by this term alone, so documents with lower scores can't be among the k best;
// 0: unknown. It comes from the deficits stored with the list if there are any for this k; otherwise the blocks with
// the highest bounds are scored.
// Hidden documents do not count; `shown` is of the same plan.
Score first_threshold(TermReader& term, const engine::Plan& plan, ShownPostings& shown);

}  // namespace frond::leaf::cpu
