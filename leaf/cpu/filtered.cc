// OR where few documents are searched: those lead, and are looked up in the lists.
#include <algorithm>
#include <bit>

#include "leaf/cpu/algorithms.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint32_t kBitsOfWord = partition::HiddenDocuments::kWordBits;

class LookedUpTerm {
 public:
  LookedUpTerm(const engine::Plan& plan, const engine::PlanTerm& term) : reader_(plan, term) {}

  // The most that a posting of `docid` can contribute, by its block, which is not decoded; docIDs ascend.
  Score bound_of(DocId docid) {
    if (ended_) return 0;
    if (block_ == kNone || docid > last_) {
      block_ = reader_.list().find_block(docid, block_ == kNone ? 0 : block_ + 1);
      ended_ = block_ == reader_.blocks();
      if (ended_) return 0;
      last_ = reader_.list().last_docid(block_);
      bound_ = reader_.block_bound(block_);
    }
    return bound_;
  }
  bool ended() const { return ended_; }
  // After bound_of() of the same document: adds its score. False: the list does not have it.
  bool add(DocId docid, Score& sum) {
    if (ended_) return false;
    reader_.enter(block_);
    const std::uint32_t position = reader_.position_of(docid);
    if (position >= reader_.size() || reader_.docids()[position] != docid) return false;
    sum += reader_.score_of(block_, position, docid);
    return true;
  }
  TermReader& reader() { return reader_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  TermReader reader_;
  std::uint32_t block_ = kNone;
  DocId last_ = 0;
  Score bound_ = 0;
  bool ended_ = false;
};

}  // namespace

bool searches_few(const engine::Plan& plan) {
  constexpr std::size_t kFew = 600;  // one of so many documents; measured: docs/measurements/clauses.md
  return plan.hidden != nullptr && (plan.lengths.size() - plan.hidden->count()) * kFew <= plan.lengths.size();
}

Result<engine::Outcome> search_filtered_or(const engine::Plan& plan, const Clock& clock) {
  auto terms = FROND_TRY(open_terms<LookedUpTerm>(plan, terms_with_postings(plan)));
  Threshold threshold(plan);
  engine::Outcome outcome;
  const auto documents = static_cast<DocId>(plan.lengths.size());
  DocId docids[kBlockLength];
  Score scores[kBlockLength];
  std::size_t count = 0;
  const auto offer = [&] {
    threshold.offer({docids, scores}, count);
    count = 0;
  };
  constexpr DocId kBetweenGlances = 4096 * kBitsOfWord;
  for (DocId first = 0; first < documents; first += kBitsOfWord) {
    if (first % kBetweenGlances == 0 && plan.deadline.passed(clock)) return deadline_passed();
    std::uint64_t shown = ~plan.hidden->word(first / kBitsOfWord);
    if (documents - first < kBitsOfWord) shown &= (std::uint64_t{1} << (documents - first)) - 1;
    for (; shown != 0; shown &= shown - 1) {
      const DocId docid = first + static_cast<DocId>(std::countr_zero(shown));
      std::uint64_t bound = 0;
      for (LookedUpTerm& term : terms) bound += term.bound_of(docid);
      if (plan.priors != nullptr) threshold.look_at(docid, docid);
      const std::uint64_t least = threshold.least();
      if (bound < least) {
        outcome.exact = false;
        continue;
      }
      Score score = 0;
      bool found = false;
      for (LookedUpTerm& term : terms) found |= term.add(docid, score);
      if (!found) continue;
      ++outcome.matches;
      if (score < least) continue;
      docids[count] = docid;
      scores[count] = score;
      if (++count == kBlockLength) offer();
    }
    if (count > 0) offer();
    if (std::ranges::all_of(terms, &LookedUpTerm::ended)) break;
  }
  for (LookedUpTerm& term : terms) {
    if (term.reader().corrupt()) return term.reader().error();
    outcome.postings_decoded += term.reader().postings_decoded();
  }
  outcome.hits = threshold.take();
  return outcome;
}

}  // namespace frond::leaf::cpu
