#include "leaf/cpu/single_term.h"

#include <algorithm>

#include "leaf/cpu/first_threshold.h"
#include "leaf/cpu/hidden.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {

Result<engine::Outcome> search_single_term(const engine::Plan& plan, const Clock& clock) {
  const auto chosen = terms_with_postings(plan);
  FROND_CHECK(chosen.size() == 1);
  TermReader term(plan, *chosen.front());
  if (term.corrupt()) return term.error();
  Threshold threshold(plan);
  if (plan.k > 0) {
    threshold.start_at(first_threshold(term, plan.k, plan.hidden));
    DocId docids[kBlockLength + kSelectSlack];
    Score scores[kBlockLength + kSelectSlack];
    for (std::uint32_t block = 0; block < term.blocks(); ++block) {
      if (block % kBlocksBetweenGlances == 0 && plan.deadline.passed(clock)) return deadline_passed();
      if (plan.priors != nullptr) threshold.look_at(term.first_possible(block), term.list().last_docid(block));
      const auto least = threshold.least();
      if (term.block_bound(block) < least) continue;
      term.enter(block);
      const Score* block_scores = term.scores();
      const auto kept = select(term.docids(), block_scores, term.size(), static_cast<Score>(least), {docids, scores});
      threshold.offer({docids, scores}, kept);
    }
  }
  engine::Outcome outcome;
  outcome.matches = postings_left(term, plan.hidden);
  if (term.corrupt()) return term.error();
  outcome.hits = threshold.take();
  outcome.postings_decoded = term.postings_decoded();
  return outcome;
}

}  // namespace frond::leaf::cpu
