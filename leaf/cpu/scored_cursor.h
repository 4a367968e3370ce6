#pragma once
// A term of a plan, a posting at a time, for the document-at-a-time disjunctions (wand.h, maxscore.h): a cursor that
// knows its contributions, the bound of its list, and the bounds of blocks that it has not decoded. One thread; borrows
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
  // Stands on the first posting. The list is not empty.
  ScoredCursor(const engine::Plan& plan, const engine::PlanTerm& term)
      : cursor_(term.list->postings, static_cast<DocId>(plan.lengths.size())),
        term_(&term),
        lengths_(plan.lengths.data()),
        norm_(plan.norm),
        list_bound_(term.bounds.bound(term.list->postings.list_deficit())) {}

  DocId docid() const { return cursor_.docid(); }  // kNoDoc past the end
  void next() { cursor_.next(); }
  void next_geq(DocId target) { cursor_.next_geq(target); }
  // Of the posting under the cursor, which is not past the end.
  Score score() {
    const DocId docid = cursor_.docid();  // asked first: frequencies that do not decode end the list
    return scoring::contribution(term_->weight, cursor_.frequency(), lengths_[docid], norm_);
  }
  Score list_bound() const { return list_bound_; }
  // What a posting of `docid` could contribute at most: its block's bound; 0 behind the list. Moves nothing and decodes
  // nothing; `docid` ascends from call to call.
  Score block_bound(DocId docid) {
    if (docid > probe_last_ || probe_ == kNone) probe(docid);
    return probe_bound_;
  }
  // The last document that block_bound() told of; kNoDoc behind the list.
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

// The plan's lists that hold something. Each stays where it is: orders of cursors are orders of pointers.
inline std::vector<std::unique_ptr<ScoredCursor>> open_cursors(const engine::Plan& plan) {
  std::vector<std::unique_ptr<ScoredCursor>> cursors;
  for (const auto& term : plan.terms)
    if (term.list->postings.count() > 0) cursors.push_back(std::make_unique<ScoredCursor>(plan, term));
  return cursors;
}

}  // namespace frond::leaf::cpu
