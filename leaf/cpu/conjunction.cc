#include "leaf/cpu/conjunction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "leaf/cpu/intersect_block.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// A term, and which blocks of its list the documents of the driver's block lie in.
class JoinedTerm {
 public:
  JoinedTerm(const Plan& plan, const PlanTerm& term) : reader_(plan, term) {}
  TermReader& reader() { return reader_; }

  // Stands on the block that `document` would be in; false behind the list. Documents ascend, but that look-ups of
  // matches went back to blocks of the driver's block that has been narrowed.
  bool stand_on_block_of(DocId document) {
    if (block_ == kNone || last_ < document) {
      block_ = reader_.list().find_block(document, block_ == kNone ? 0 : block_ + 1);
      if (block_ >= reader_.blocks()) return false;
      last_ = reader_.list().last_docid(block_);
    }
    reader_.enter(block_);
    return true;
  }
  DocId last() const { return last_; }

  // Between start_block() and the next, the highest bound of the blocks that matched.
  void start_block() {
    bound_ = 0;
    match_ = kNone;
  }
  void matched() {
    if (match_ == kNone) match_ = block_;
    if (block_ != bounded_) {
      bounded_ = block_;
      block_bound_ = reader_.block_bound(block_);
    }
    bound_ = std::max(bound_, block_bound_);
  }
  Score bound() const { return bound_; }
  // The bound of the block that a match lies in, which is match_block() then. Since start_block() matches ascend.
  Score bound_of(DocId match) {
    match_ = reader_.list().find_block(match, match_);
    // Only where the index of a damaged list does not ascend is there no such block.
    match_ = std::min(match_, reader_.blocks() - 1);
    return reader_.block_bound(match_);
  }
  std::uint32_t match_block() const { return match_; }

 private:
  TermReader reader_;
  std::uint32_t block_ = kNone;  // the furthest entered
  DocId last_ = 0;               // its last
  Score bound_ = 0;
  std::uint32_t match_ = kNone;
  std::uint32_t bounded_ = kNone;  // whose bound block_bound_ is
  Score block_bound_ = 0;
};

class Conjunction {
 public:
  Conjunction(const Plan& plan, const Clock& clock) : plan_(plan), clock_(clock), threshold_(plan) {}
  Result<Outcome> run();

 private:
  bool narrow(JoinedTerm& term);
  void offer_matches(std::uint32_t driver_block);
  Score score_at(TermReader& reader, std::uint32_t block, DocId document);

  const Plan& plan_;
  const Clock& clock_;
  Threshold threshold_;
  std::vector<JoinedTerm> terms_;  // the shortest list first
  std::array<Candidates, 2> candidates_;
  Candidates* left_ = &candidates_[0];  // of the driver's block
  Candidates* kept_ = &candidates_[1];  // of those, by the term that narrows them
  BlockTable table_;
};

// Keeps of left_ what the term's list holds. False: its list ends here, so nothing behind matches.
bool Conjunction::narrow(JoinedTerm& term) {
  bool more = true;
  term.start_block();
  kept_->count = 0;
  for (std::uint32_t i = 0; i < left_->count;) {
    if (!term.stand_on_block_of(left_->docids[i])) {
      more = false;
      break;
    }
    if (term.reader().corrupt()) return false;
    const std::uint32_t end = left_->end_of(i, term.last()), before = kept_->count;
    table_.intersect(*left_, i, end, term.reader(), *kept_);
    if (kept_->count > before) term.matched();
    i = end;
  }
  std::swap(left_, kept_);
  return more;
}

Score Conjunction::score_at(TermReader& reader, std::uint32_t block, DocId document) {
  reader.enter(block);
  const std::uint32_t position = reader.position_of(document);
  // A block that no longer decodes holds nothing: the reader is corrupt, and says so to run().
  return position < reader.size() ? reader.score_of(block, position, document) : 0;
}

void Conjunction::offer_matches(std::uint32_t driver_block) {
  const std::uint64_t least = threshold_.least();
  const Score driver_bound = terms_[0].reader().block_bound(driver_block);
  std::uint64_t bound = driver_bound;
  for (std::size_t t = 1; t < terms_.size(); ++t) bound += terms_[t].bound();
  if (bound < least) return;
  DocId docids[kBlockLength];
  Score scores[kBlockLength];
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < left_->count; ++i) {
    const DocId document = left_->docids[i];
    bound = driver_bound;
    for (std::size_t t = 1; t < terms_.size(); ++t) bound += terms_[t].bound_of(document);
    if (bound < least) continue;
    Score score = score_at(terms_[0].reader(), driver_block, document);
    for (std::size_t t = 1; t < terms_.size(); ++t)
      score += score_at(terms_[t].reader(), terms_[t].match_block(), document);
    docids[count] = document;
    scores[count] = score;
    count += score >= least;
  }
  threshold_.offer({docids, scores}, count);
}

Result<Outcome> Conjunction::run() {
  auto chosen = terms_with_postings(plan_);
  std::sort(chosen.begin(), chosen.end(),
            [](const auto* a, const auto* b) { return a->list->postings.count() < b->list->postings.count(); });
  terms_ = FROND_TRY(open_terms<JoinedTerm>(plan_, chosen));
  Outcome outcome;
  auto& driver = terms_.front().reader();
  bool more = true;
  for (std::uint32_t block = 0; more && block < driver.blocks(); ++block) {
    driver.enter(block);
    left_->count = driver.size();
    std::copy_n(driver.docids(), kBlockLength, left_->docids.begin());
    for (std::size_t t = 1; t < terms_.size() && left_->count > 0; ++t) {
      // A block of the driver may decode 128 of each other list.
      if (plan_.deadline.passed(clock_)) return deadline_passed();
      more &= narrow(terms_[t]);
      if (terms_[t].reader().corrupt()) return terms_[t].reader().error();
    }
    outcome.matches += left_->count;
    if (left_->count > 0 && plan_.k > 0) offer_matches(block);
    if (driver.corrupt()) return driver.error();
  }
  for (auto& term : terms_) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  outcome.hits = threshold_.take();
  return outcome;
}

}  // namespace

Result<Outcome> search_conjunction(const Plan& plan, const Clock& clock) { return Conjunction(plan, clock).run(); }

}  // namespace frond::leaf::cpu
