#pragma once
// Reads one term's list block by block. Entering a block decodes its docIDs; frequencies are decoded and scores
// computed when they are first needed.
//
// Blocks are scored in vectors, and have bounds that need no decoding. One thread. A block that does not decode makes
// the reader corrupt(): all blocks then appear empty. Callers check corrupt() from time to time.
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
  // Keeps references to both. corrupt() if the list's last docID is not below plan.lengths.size().
  // REQUIRES: the list is not empty.
  TermReader(const engine::Plan& plan, const engine::PlanTerm& term);

  const postings::PostingList& list() const { return *list_; }
  const lists::BucketIndex* index() const { return index_; }  // null: it has none
  std::uint32_t blocks() const { return list_->blocks(); }
  Score bound(scoring::PackedDeficit deficit) const { return bounds_.bound(deficit); }
  Score block_bound(std::uint32_t block) const { return bounds_.bound(list_->block_deficit(block)); }
  // The block has no document before this.
  DocId first_possible(std::uint32_t block) const { return block == 0 ? 0 : list_->last_docid(block - 1) + 1; }
  Score list_bound() const { return bounds_.bound(list_->list_deficit()); }
  // A score that `k` postings of the list reach, from its stored deficits; 0: none is stored for this k.
  Score stored_threshold(std::uint32_t k) const;

  // Moves to `block`, which is below blocks(), and decodes its docIDs, unless it is the current block.
  void enter(std::uint32_t block) {
    if (block != block_) load(block);
  }
  std::uint32_t block() const { return block_; }
  std::uint32_t size() const { return size_; }  // postings in the current block; 0 if it does not decode
  // The current block's docIDs, then at least kVectorSlack times kNoDoc.
  const DocId* docids() const { return docids_.data(); }
  DocId last() const { return docids_[size_ ? size_ - 1 : 0]; }
  const Score* scores() {  // of the current block
    if (numbers_block_ != block_ || !scored_) score_block();
    return numbers_.data();
  }
  // Of the current block; all 1 and size() 0 if they do not decode. Scores are computed anew after this.
  const Frequency* frequencies() {
    if (numbers_block_ != block_ || scored_) load_frequencies(block_);
    return numbers_.data();
  }
  // Replaces the frequencies of these documents by scores.
  void score(const DocId* docids, std::size_t count, std::uint32_t* numbers) const {
    score_postings(docids, numbers, count, lengths_, weight_, norm_, numbers);
  }
  // The score of posting `position` of `block`, whose docID is `docid`: cheaper than scores() for a few postings.
  // `block` is the current block or one entered before, or the posting was found by the list's index.
  Score score_of(std::uint32_t block, std::uint32_t position, DocId docid);
  // Of the same posting. Scores of its block are computed anew after this.
  Frequency frequency_of(std::uint32_t block, std::uint32_t position) {
    if (numbers_block_ != block || scored_) load_frequencies(block);
    return numbers_[position];
  }

  // The position of the first posting of the current block with docID >= target; size() if there is none.
  std::uint32_t position_of(DocId target) const {
    // Counts the groups of 16 that end below the target, then docIDs in the next group: no branch to mispredict. A
    // short block is padded with kNoDoc.
    std::uint32_t group = 0;
    for (std::uint32_t i = 15; i < kBlockLength - 16; i += 16) group += docids_[i] < target;
    group *= 16;
    std::uint32_t below = group;
    for (std::uint32_t i = 0; i < 16; ++i) below += docids_[group + i] < target;
    return std::min(below, size_);
  }

  // Prefetches a document's length for a score_of() that will follow.
  void prefetch_length(DocId docid) const { __builtin_prefetch(lengths_ + docid); }

  bool corrupt() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::uint64_t postings_decoded() const { return decoded_; }

 private:
  void load(std::uint32_t block);
  void load_frequencies(std::uint32_t block);
  void score_block();
  void note(Error error);
  // Nothing is left to be read.
  void fail(Error error);

  const postings::PostingList* list_;
  const lists::BucketIndex* index_;
  const lists::ListKey* key_;
  const std::uint32_t* lengths_;
  float weight_;
  scoring::LengthNorm norm_;
  scoring::BoundScale bounds_;
  std::uint32_t block_ = 0xffffffff;
  std::uint32_t size_ = 0;
  std::uint32_t numbers_block_ = 0xffffffff;  // the block of numbers_
  bool scored_ = false;                       // numbers_ are scores, else frequencies
  std::uint64_t decoded_ = 0;
  std::optional<Error> error_;
  alignas(64) std::array<DocId, kBlockLength + kSelectSlack> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength> numbers_;  // frequencies, replaced by scores
};

// The plan's terms whose lists have postings, in the plan's order.
std::vector<const engine::PlanTerm*> terms_with_postings(const engine::Plan& plan);

// Makes a Term(plan, plan_term) for each of `chosen`. Term::reader() gives its TermReader. Terms are built in place, as
// they are large. kCorrupt: as for TermReader's constructor.
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
