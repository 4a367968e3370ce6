#pragma once
// One list of a search that is led by another list, and where it is. One thread.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "leaf/clauses/matchers/matcher.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::clauses {

inline constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint32_t>::max();

class JoinedList {
 public:
  // Borrows both. `has_bounds`: the list's deficits are those of the lengths that the reader has.
  JoinedList(const engine::Plan& field, const engine::PlanTerm& term, query::Factor factor, bool has_bounds)
      : reader_(field, term), factor_(factor), has_bounds_(has_bounds) {}

  // Finds the blocks of documents first .. last, and the bound of all of them; `first` never decreases. False: the list
  // has ended.
  bool look(DocId first, DocId last) {
    range_bound_ = 0;
    if (!find(first)) return false;
    const auto& list = reader_.list();
    const std::uint32_t to = std::min(list.find_block(last, block_), list.blocks() - 1);
    range_bound_ = has_bounds_ ? times(reader_.bound(list.least_deficit(block_, to)), factor_) : kNoBound;
    return true;
  }
  std::uint64_t range_bound() const { return range_bound_; }
  std::uint64_t list_bound() const { return has_bounds_ ? times(reader_.list_bound(), factor_) : kNoBound; }
  std::uint64_t bound_of(std::uint32_t block) {
    if (!has_bounds_) return kNoBound;
    if (block != bound_block_) {
      bound_block_ = block;
      bound_ = times(reader_.block_bound(block), factor_);
    }
    return bound_;
  }
  // Moves to the block that may hold `docid`, without decoding it. False: the list ends before.
  bool find(DocId docid) {
    if (block_ != kNoBlock && docid <= last_) return true;
    const std::uint32_t block = reader_.list().find_block(docid, block_ == kNoBlock ? 0 : block_ + 1);
    if (block == reader_.blocks()) return false;
    block_ = block;
    last_ = reader_.list().last_docid(block);
    return true;
  }
  std::uint32_t block() const { return block_; }
  DocId last() const { return last_; }  // of the block
  // `posting`: block * 128 + position, of a block that was entered.
  Score score_of(std::uint32_t posting, DocId docid) {
    const Score score = unboosted_score_of(posting, docid);
    return is_boosted() ? times(score, factor_) : score;
  }
  // Of a phrase's word, whose reader has the weight and the boost of the phrase: what the phrase scores at most in the
  // document, since it is there at most as often as the word. The margin is for roundings: of two contributions each
  // operation errs by 2^-24, so they are out of order by less than 2^-21.
  std::uint64_t phrase_bound_of(std::uint32_t posting, DocId docid) {
    const std::uint64_t score = unboosted_score_of(posting, docid);
    return times(score + (score >> 20) + 1, factor_);
  }
  // Its inverse: with a lower score of an unboosted word the phrase does not reach `least`.
  static std::uint64_t score_for_phrase(std::uint64_t least) { return least - std::min(least, (least >> 20) + 2); }

  bool is_boosted() const { return factor_ != query::Factor(); }
  cpu::TermReader& reader() { return reader_; }
  const cpu::TermReader& reader() const { return reader_; }

  bool in_phrase = false;
  bool bounds_phrase = false;                             // the phrase is in no document more often than this word
  std::uint64_t hash = 0;                                 // of a phrase's word
  std::uint32_t occurrences = 1;                          // how often the phrase has it
  std::array<std::uint32_t, cpu::kBlockLength> postings;  // of the driver's documents, by place

 private:
  static constexpr std::uint32_t kNoBlock = 0xffffffff;
  Score unboosted_score_of(std::uint32_t posting, DocId docid) {
    return reader_.score_of(posting / cpu::kBlockLength, posting % cpu::kBlockLength, docid);
  }

  cpu::TermReader reader_;
  const query::Factor factor_;
  const bool has_bounds_;
  std::uint32_t block_ = kNoBlock, bound_block_ = kNoBlock;
  DocId last_ = 0;
  std::uint64_t range_bound_ = 0, bound_ = 0;
};

}  // namespace frond::leaf::clauses
