#pragma once
// One term of a plan while it is evaluated: the block it stands on, its docIDs decoded, its frequencies or its scores
// only once they are asked for. Engines move it from block to block and work on whole blocks.
//
// postings::Cursor walks postings one at a time; here a block is scored in vectors, and a bound is asked of blocks that
// are never decoded. One thread. A block that does not decode leaves the reader corrupt(): methods then answer as if
// the block were empty, and the evaluator asks once a window.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leaf/cpu/kernels.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::cpu {

using postings::kBlockLength;
using scoring::Score;

class TermReader {
 public:
  // Borrows plan and term. The list is not empty; one whose last docID is not below the number of documents is corrupt.
  TermReader(const engine::Plan& plan, const engine::PlanTerm& term);

  const postings::PostingList& list() const { return *list_; }
  std::uint32_t blocks() const { return list_->blocks(); }
  Score bound(scoring::PackedDeficit deficit) const { return bounds_.bound(deficit); }
  Score block_bound(std::uint32_t block) const { return bounds_.bound(list_->block_deficit(block)); }
  Score list_bound() const { return bounds_.bound(list_->list_deficit()); }
  // A score that `k` postings of the list reach, as stored; 0: nothing is stored for so many.
  Score stored_threshold(std::uint32_t k) const;

  // Stands on `block` (< blocks()), decoding its docIDs unless it stands there already.
  void enter(std::uint32_t block) {
    if (block != block_) load(block);
  }
  std::uint32_t block() const { return block_; }
  std::uint32_t size() const { return size_; }  // postings in the block; 0 when it does not decode
  // Of the block; behind them kNoDoc, kVectorSlack times and more.
  const DocId* docids() const { return docids_.data(); }
  DocId last() const { return docids_[size_ ? size_ - 1 : 0]; }
  const Score* scores() {  // of the block
    if (numbers_block_ != block_ || !scored_) score_block();
    return numbers_.data();
  }
  // Of posting `position` of `block`, which holds `docid`: cheaper than scores() where few are asked for. The reader
  // stands on `block` or has stood on it.
  Score score_of(std::uint32_t block, std::uint32_t position, DocId docid);

  // The first posting of the block with docID >= target; size() if none.
  std::uint32_t position_of(DocId target) const {
    // Counts the groups of 16 that end below the target, then the docIDs in the next: no branch to mispredict. What
    // lies behind a short block is kNoDoc.
    std::uint32_t group = 0;
    for (std::uint32_t i = 15; i < kBlockLength - 16; i += 16) group += docids_[i] < target;
    group *= 16;
    std::uint32_t below = group;
    for (std::uint32_t i = 0; i < 16; ++i) below += docids_[group + i] < target;
    return std::min(below, size_);
  }

  // Makes the length of a document that score_of() will soon be asked of come near.
  void prefetch_length(DocId docid) const { __builtin_prefetch(lengths_ + docid); }

  bool corrupt() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::uint64_t postings_decoded() const { return decoded_; }

 private:
  void load(std::uint32_t block);
  void load_frequencies(std::uint32_t block);
  void score_block();
  void fail(Error error);

  const postings::PostingList* list_;
  const lists::ListKey* key_;
  const std::uint32_t* lengths_;
  float weight_;
  scoring::LengthNorm norm_;
  scoring::BoundScale bounds_;
  std::uint32_t block_ = 0xffffffff;
  std::uint32_t size_ = 0;
  std::uint32_t numbers_block_ = 0xffffffff;  // whose numbers_ are
  bool scored_ = false;                       // they are scores
  std::uint64_t decoded_ = 0;
  std::optional<Error> error_;
  alignas(64) std::array<DocId, kBlockLength + kSelectSlack> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength> numbers_;  // frequencies, then in their place scores
};

// The plan's terms whose lists hold something, in the plan's order.
std::vector<const engine::PlanTerm*> terms_with_postings(const engine::Plan& plan);

// A Term for each of them, made where it stays, as it holds whole blocks: Term(plan, plan_term) with a member reader().
// kCorrupt as TermReader's constructor says.
template <class Term>
Result<std::vector<Term>> open_terms(const engine::Plan& plan, std::span<const engine::PlanTerm* const> chosen) {
  std::vector<Term> terms;
  terms.reserve(chosen.size());
  for (const engine::PlanTerm* term : chosen) {
    terms.emplace_back(plan, *term);
    if (terms.back().reader().corrupt()) return terms.back().reader().error();
  }
  return terms;
}

}  // namespace frond::leaf::cpu
