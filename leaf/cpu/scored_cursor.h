#pragma once
// A cursor over a term's list for the document-at-a-time algorithms (wand.h, maxscore.h). Besides postings it gives
// their contributions, the list's bound, and the bounds of blocks that are not decoded. One thread; keeps references to
// the plan.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/postings/cursor.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

using scoring::Score;

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
inline std::vector<std::unique_ptr<ScoredCursor>> open_cursors(const engine::Plan& plan) {
  std::vector<std::unique_ptr<ScoredCursor>> cursors;
  for (const auto& term : plan.terms)
    if (term.list->postings.count() > 0) cursors.push_back(std::make_unique<ScoredCursor>(plan, term));
  return cursors;
}

}  // namespace frond::leaf::cpu
