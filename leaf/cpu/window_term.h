#pragma once
// A term of an OR over windows of documents: the blocks that overlap the current window, their bound, and look-ups of
// single documents. Windows and documents ascend. One thread.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

class WindowTerm {
 public:
  WindowTerm(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}

  // Moves to window [begin, end); begin never decreases. False: the list has no posting at begin or later.
  bool look(DocId begin, DocId end) {
    const auto& list = reader_.list();
    if (end <= reach_ && begin <= first_last_) return true;  // the same blocks as before
    if (begin > first_last_ || first_ == kNone) {
      first_ = list.find_block(begin, first_ == kNone ? 0 : first_);
      if (first_ == reader_.blocks()) return false;
      first_last_ = list.last_docid(first_);
    }
    scoring::PackedDeficit least = list.block_deficit(first_);
    DocId last = first_last_;
    std::uint32_t block = first_;
    for (; last + 1 < end && block + 1 < reader_.blocks(); last = list.last_docid(block))
      least = std::min(least, list.block_deficit(++block));
    reach_ = last + 1 < end || block + 1 == reader_.blocks() ? kNoDoc : last + 1;
    if (least != least_ || bound_ == 0) {
      least_ = least;
      bound_ = reader_.bound(least);
    }
    return true;
  }
  Score bound() const { return bound_; }                // of the postings in the window
  DocId reach() const { return reach_; }                // bound() holds for documents below this
  std::uint32_t first_block() const { return first_; }  // the first that overlaps the window

  // The most that this term can add to `docid`: its block's bound; 0 past the end. docIDs ascend. Decodes nothing.
  Score bound_at(DocId docid) {
    if (probe_ == kNone || docid > probe_last_) {
      // Documents are in the window, so no earlier block than its first can hold them.
      probe_ = reader_.list().find_block(docid, probe_ == kNone ? first_ : std::max(probe_, first_));
      const bool there = probe_ < reader_.blocks();
      probe_last_ = there ? reader_.list().last_docid(probe_) : kNoDoc;
      probe_bound_ = there ? reader_.block_bound(probe_) : 0;
    }
    return probe_bound_;
  }
  // The last docID of that block; kNoDoc past the end.
  DocId bound_last() const { return probe_last_; }
  // Adds the contributions to `documents` of that block, ascending. Call it after bound_at() returned more than 0.
  void add_scores(Selection documents, std::size_t count) {
    reader_.enter(probe_);
    std::array<std::uint32_t, kGroup> positions;
    for (std::size_t start = 0; start < count; start += positions.size()) {
      const std::size_t some = std::min(count - start, positions.size());
      positions_in_block(reader_.docids(), documents.docids + start, some, positions.data());
      for (std::size_t i = 0; i < some; ++i) {
        const DocId docid = documents.docids[start + i];
        if (positions[i] < reader_.size() && reader_.docids()[positions[i]] == docid)
          documents.scores[start + i] += reader_.score_of(probe_, positions[i], docid);
      }
    }
  }

  TermReader& reader() { return reader_; }
  const TermReader& reader() const { return reader_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  TermReader reader_;
  Score bound_ = 0;
  DocId reach_ = 0;
  std::uint32_t first_ = kNone;
  DocId first_last_ = 0;  // the last docID of the first block
  scoring::PackedDeficit least_ = 0;
  std::uint32_t probe_ = kNone;
  DocId probe_last_ = 0;
  Score probe_bound_ = 0;
};

}  // namespace frond::leaf::cpu
