#pragma once
// Common parts of the document-at-a-time algorithms for OR: the threshold, counting, the deadline and the outcome.
#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "leaf/cpu/scored_cursor.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {

class DocumentAtATime {
 public:
  // Keeps references to both. Opens the cursors.
  DocumentAtATime(const engine::Plan& plan, const Clock& clock)
      : plan_(plan), clock_(clock), threshold_(plan), cursors_(open_cursors(plan)) {}

  // kCorrupt if a list has docIDs that the partition does not have. Check it first.
  Result<void> opened() const {
    for (const auto& term : plan_.terms)
      if (term.list->postings.count() > 0 && term.list->postings.segments().back().last_docid() >= plan_.lengths.size())
        return Error(Code::kCorrupt,
                     "a list reaches past the last of " + std::to_string(plan_.lengths.size()) + " documents");
    return {};
  }
  std::span<const std::unique_ptr<ScoredCursor>> cursors() const { return cursors_; }
  // The score that a document must reach. 0: every match counts, even with a score of 0.
  std::uint64_t least() {
    const std::uint64_t least = threshold_.least();
    pruned_ |= least > 0;
    return least;
  }
  // Takes a document with its complete score. Documents ascend.
  void offer(DocId docid, Score score) {
    if (plan_.hidden != nullptr && plan_.hidden->contains(docid)) return;
    counted_ += !pruned_;
    threshold_.offer({&docid, &score}, 1);
  }
  // Call once per step of the algorithm. True: the deadline has passed; one call in kStepsBetweenGlances checks it.
  bool late() { return ++steps_ % kStepsBetweenGlances == 0 && plan_.deadline.passed(clock_); }

  // kCorrupt if a block did not decode.
  Result<engine::Outcome> finish() {
    engine::Outcome outcome;
    std::uint64_t longest = 0;
    for (const auto& cursor : cursors_) {
      FROND_TRY(cursor->cursor().status());
      longest = std::max(longest, cursor->count());
      outcome.postings_decoded += std::uint64_t{cursor->cursor().blocks_decoded()} * postings::kBlockLength;
    }
    longest = engine::least_matches(plan_, longest);
    outcome.hits = threshold_.take();
    outcome.exact = !pruned_;
    outcome.matches = pruned_ ? std::max<std::uint64_t>({counted_, longest, outcome.hits.size()}) : counted_;
    return outcome;
  }

 private:
  static constexpr std::uint32_t kStepsBetweenGlances = 1024;
  const engine::Plan& plan_;
  const Clock& clock_;
  Threshold threshold_;
  std::vector<std::unique_ptr<ScoredCursor>> cursors_;
  std::uint64_t counted_ = 0;
  std::uint32_t steps_ = 0;
  bool pruned_ = false;
};

}  // namespace frond::leaf::cpu
