// The document-at-a-time algorithms for OR: MaxScore and WAND, with bounds of lists or of blocks.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/postings/cursor.h"
#include "leaf/cpu/algorithms.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {
namespace {

// A cursor over a term's list. Besides postings it gives their contributions, the list's bound, and the bounds of
// blocks that are not decoded. One thread; keeps references to the plan.
class ScoredCursor {
 public:
  // Begins at the first posting. The list must not be empty.
  ScoredCursor(const engine::Plan& plan, const engine::PlanTerm& term)
      : cursor_(term.list->postings, static_cast<DocId>(plan.lengths.size())),
        term_(&term),
        lengths_(plan.lengths.data()),
        norm_(plan.norm),
        list_bound_(term.bounds.bound(term.list->postings.list_deficit())) {}

  DocId docid() const { return cursor_.docid(); }  // kNoDoc past the end
  void next() { cursor_.next(); }
  void next_geq(DocId target) { cursor_.next_geq(target); }
  // The contribution of the posting under the cursor, which must not be past the end.
  Score score() {
    const DocId docid = cursor_.docid();  // read first: if frequencies do not decode, the cursor ends
    return scoring::contribution(term_->weight, cursor_.frequency(), lengths_[docid], norm_);
  }
  Score list_bound() const { return list_bound_; }
  // The most that a posting of `docid` can contribute: the bound of the block that may hold it; 0 past the end. Does
  // not move the cursor or decode. `docid` never decreases from call to call.
  Score block_bound(DocId docid) {
    if (docid > probe_last_ || probe_ == kNone) probe(docid);
    return probe_bound_;
  }
  // The last docID in the block of the last block_bound(); kNoDoc past the end.
  DocId block_last() const { return probe_last_; }

  std::uint64_t count() const { return term_->list->postings.count(); }
  const postings::Cursor& cursor() const { return cursor_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  void probe(DocId docid) {
    const auto& list = term_->list->postings;
    probe_ = list.find_block(docid, probe_ == kNone ? 0 : probe_);
    const bool there = probe_ < list.blocks();
    probe_last_ = there ? list.last_docid(probe_) : kNoDoc;
    probe_bound_ = there ? term_->bounds.bound(list.block_deficit(probe_)) : 0;
  }

  postings::Cursor cursor_;
  const engine::PlanTerm* term_;
  const std::uint32_t* lengths_;
  scoring::LengthNorm norm_;
  Score list_bound_;
  std::uint32_t probe_ = kNone;
  DocId probe_last_ = 0;
  Score probe_bound_ = 0;
};

// One cursor per list with postings. They are allocated one by one, so that callers can sort pointers to them.
std::vector<std::unique_ptr<ScoredCursor>> open_cursors(const engine::Plan& plan) {
  std::vector<std::unique_ptr<ScoredCursor>> cursors;
  for (const auto& term : plan.terms)
    if (term.list->postings.count() > 0) cursors.push_back(std::make_unique<ScoredCursor>(plan, term));
  return cursors;
}

// Common parts of the document-at-a-time algorithms for OR: the threshold, counting, the deadline and the outcome.
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

class MaxScore {
 public:
  MaxScore(const engine::Plan& plan, const Clock& clock, bool block_bounds)
      : search_(plan, clock), block_bounds_(block_bounds) {
    for (const auto& cursor : search_.cursors()) order_.push_back(cursor.get());
    std::sort(order_.begin(), order_.end(),
              [](const auto* a, const auto* b) { return a->list_bound() < b->list_bound(); });
    prefix_.resize(order_.size() + 1);
    for (std::size_t i = 0; i < order_.size(); ++i) prefix_[i + 1] = prefix_[i] + order_[i]->list_bound();
  }
  Result<engine::Outcome> run();

 private:
  bool look_up(DocId document, std::uint64_t& score, std::uint64_t least);

  DocumentAtATime search_;
  const bool block_bounds_;
  std::vector<ScoredCursor*> order_;   // by list bound, lowest first
  std::vector<std::uint64_t> prefix_;  // prefix_[i]: sum of the bounds of order_[0 .. i)
  std::size_t essential_ = 0;          // order_[essential_ ..) are the essential lists
};

// Adds the contributions of the non-essential lists. False: the document can't reach `least`.
bool MaxScore::look_up(DocId document, std::uint64_t& score, std::uint64_t least) {
  std::uint64_t others = prefix_[essential_];
  if (block_bounds_) {
    others = 0;
    for (std::size_t i = 0; i < essential_; ++i) others += order_[i]->block_bound(document);
  }
  for (std::size_t i = essential_; i-- > 0;) {
    if (score + others < least) return false;
    ScoredCursor& cursor = *order_[i];
    others -= block_bounds_ ? cursor.block_bound(document) : cursor.list_bound();
    cursor.next_geq(document);
    if (cursor.docid() == document) score += cursor.score();
  }
  return score >= least;
}

Result<engine::Outcome> MaxScore::run() {
  FROND_TRY(search_.opened());
  for (;;) {
    if (search_.late()) return deadline_passed();
    const std::uint64_t least = search_.least();
    while (essential_ < order_.size() && prefix_[essential_ + 1] < least) ++essential_;
    DocId document = kNoDoc;
    for (std::size_t i = essential_; i < order_.size(); ++i) document = std::min(document, order_[i]->docid());
    if (document == kNoDoc) return search_.finish();
    std::uint64_t score = 0;
    for (std::size_t i = essential_; i < order_.size(); ++i) {
      if (order_[i]->docid() != document) continue;
      score += order_[i]->score();
      order_[i]->next();
    }
    if (look_up(document, score, least)) search_.offer(document, static_cast<Score>(score));
  }
}

class Wand {
 public:
  Wand(const engine::Plan& plan, const Clock& clock, bool block_bounds)
      : search_(plan, clock), block_bounds_(block_bounds) {
    for (const auto& cursor : search_.cursors()) order_.push_back(cursor.get());
    std::sort(order_.begin(), order_.end(), [](const auto* a, const auto* b) { return a->docid() < b->docid(); });
  }
  Result<engine::Outcome> run();

 private:
  std::size_t find_pivot(std::uint64_t least) const;
  bool blocks_reach(std::size_t pivot, std::uint64_t least);
  void score_pivot(DocId document);
  void skip_blocks(std::size_t pivot);
  void advance_one(std::size_t end, DocId target);
  void sink(std::size_t from);

  DocumentAtATime search_;
  const bool block_bounds_;
  std::vector<ScoredCursor*> order_;  // by the document under the cursor
};

// The index of the last cursor on the pivot; order_.size(): no document can reach `least`.
std::size_t Wand::find_pivot(std::uint64_t least) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < order_.size() && order_[i]->docid() != kNoDoc; ++i) {
    sum += order_[i]->list_bound();
    if (sum < least) continue;
    while (i + 1 < order_.size() && order_[i + 1]->docid() == order_[i]->docid()) ++i;
    return i;
  }
  return order_.size();
}

bool Wand::blocks_reach(std::size_t pivot, std::uint64_t least) {
  const DocId document = order_[pivot]->docid();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= pivot; ++i) sum += order_[i]->block_bound(document);
  return sum >= least;
}

// All cursors up to the pivot are on `document`.
void Wand::score_pivot(DocId document) {
  Score score = 0;
  std::size_t there = 0;
  for (; there < order_.size() && order_[there]->docid() == document; ++there) {
    score += order_[there]->score();
    order_[there]->next();
  }
  search_.offer(document, score);
  for (std::size_t i = there; i-- > 0;) sink(i);
}

// Skips to the first end of these blocks, or to the next list's document: no document before can be a hit.
void Wand::skip_blocks(std::size_t pivot) {
  DocId target = pivot + 1 < order_.size() ? order_[pivot + 1]->docid() : kNoDoc;
  for (std::size_t i = 0; i <= pivot; ++i) {
    const DocId last = order_[i]->block_last();
    if (last < kNoDoc) target = std::min(target, last + 1);
  }
  advance_one(pivot + 1, std::max(target, order_[pivot]->docid() + 1));
}

// Of the first `end` cursors, moves one that is before `target`: the one with the highest bound, which skips most.
void Wand::advance_one(std::size_t end, DocId target) {
  std::size_t chosen = end;
  for (std::size_t i = 0; i < end; ++i)
    if (order_[i]->docid() < target && (chosen == end || order_[i]->list_bound() > order_[chosen]->list_bound()))
      chosen = i;
  order_[chosen]->next_geq(target);
  sink(chosen);
}

// Restores the order after order_[from] moved forward.
void Wand::sink(std::size_t from) {
  for (std::size_t i = from; i + 1 < order_.size() && order_[i + 1]->docid() < order_[i]->docid(); ++i)
    std::swap(order_[i], order_[i + 1]);
}

Result<engine::Outcome> Wand::run() {
  FROND_TRY(search_.opened());
  for (;;) {
    if (search_.late()) return deadline_passed();
    const std::uint64_t least = search_.least();
    const std::size_t pivot = find_pivot(least);
    if (pivot == order_.size()) return search_.finish();
    const DocId document = order_[pivot]->docid();
    if (block_bounds_ && !blocks_reach(pivot, least))
      skip_blocks(pivot);
    else if (order_[0]->docid() == document)
      score_pivot(document);
    else
      advance_one(pivot + 1, document);
  }
}

}  // namespace

Result<engine::Outcome> search_maxscore(const engine::Plan& plan, const Clock& clock) {
  return MaxScore(plan, clock, false).run();
}
Result<engine::Outcome> search_block_max_maxscore(const engine::Plan& plan, const Clock& clock) {
  return MaxScore(plan, clock, true).run();
}
Result<engine::Outcome> search_wand(const engine::Plan& plan, const Clock& clock) {
  return Wand(plan, clock, false).run();
}
Result<engine::Outcome> search_block_max_wand(const engine::Plan& plan, const Clock& clock) {
  return Wand(plan, clock, true).run();
}

}  // namespace frond::leaf::cpu
