#pragma once
// Adds up the scores of a window of documents, list by list, for the algorithms for OR that work on windows. One
// thread. About 16.5 KiB, so that the sums and the blocks that are added stay in the first-level cache.
#include <algorithm>
#include <array>
#include <cstdint>

#include "leaf/cpu/kernels.h"
#include "leaf/cpu/shown_postings.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

class WindowSums {
 public:
  static constexpr DocId kWindow = kGroup * kGroups;  // documents

  // REQUIRES: docIDs are in [begin, begin + kWindow).
  void add(const ShownPostings::Postings& postings, DocId begin);
  // Writes the documents with added postings whose sums reach `least` to `out`, ascending, and clears all sums. Returns
  // how many.
  // REQUIRES: `out` has kWindow + kSelectSlack places.
  std::size_t take(DocId begin, Score least, Selection out);

 private:
  std::size_t visit(DocId begin, Score least, Selection out);

  alignas(64) std::array<Score, kWindow> sums_{};
  std::array<std::uint64_t, kGroups> touched_{};  // one bit per sum
  std::uint64_t groups_ = 0;                      // one bit per group with touched sums
  std::size_t postings_ = 0;
};

// A term of an OR over windows of documents: the blocks that overlap the current window, their bound, and look-ups of
// single documents. Windows and documents ascend. One thread.
class WindowTerm {
 public:
  WindowTerm(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}

  // Moves to window [begin, end). False: the list has no posting at begin or later. REQUIRES: begin never decreases.
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

  // The most that this term can add to `docid`: its block's bound; 0 past the end. Decodes nothing.
  // REQUIRES: docIDs ascend, and are in the window.
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
  // Adds the contributions to `documents` of that block.
  // REQUIRES: they ascend; bound_at() returned more than 0 for the block.
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

// A term whose postings are taken in their order, window by window. One thread.
class OrderedTerm {
 public:
  OrderedTerm(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}
  TermReader& reader() { return reader_; }

  // No posting that is left has a lower docID. kNoDoc: none is left.
  DocId next() const {
    if (block_ == reader_.blocks() || reader_.corrupt()) return kNoDoc;
    return reader_.block() == block_ ? reader_.docids()[from_] : reader_.first_possible(block_);
  }
  // Takes the postings below `end`: visit(from, to) gets places in the reader's block, block by block. A block that
  // does not decode ends the list and makes the reader corrupt().
  template <class Visit>
  void take_below(std::uint64_t end, const Visit& visit) {
    for (; block_ < reader_.blocks(); ++block_) {
      reader_.enter(block_);
      if (reader_.corrupt()) return;
      const bool whole = reader_.last() < end;
      const std::uint32_t to = whole ? reader_.size() : reader_.position_of(static_cast<DocId>(end));
      if (from_ < to) visit(from_, to);
      from_ = whole ? 0 : to;
      if (!whole) return;
    }
  }

 private:
  TermReader reader_;
  std::uint32_t block_ = 0, from_ = 0;  // the first posting that is left
};

}  // namespace frond::leaf::cpu
