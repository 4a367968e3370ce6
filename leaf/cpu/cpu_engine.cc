#include "leaf/cpu/cpu_engine.h"

#include <algorithm>

#include "leaf/cpu/algorithms.h"
#include "leaf/cpu/shown_postings.h"
#include "leaf/cpu/threshold.h"

namespace frond::leaf::cpu {

Result<engine::Outcome> search_single_term(const engine::Plan& plan, const Clock& clock) {
  const auto chosen = terms_with_postings(plan);
  FROND_CHECK(chosen.size() == 1);
  TermReader term(plan, *chosen.front());
  if (term.corrupt()) return term.error();
  Threshold threshold(plan);
  if (plan.k > 0) {
    ShownPostings shown(plan);
    threshold.start_at(first_threshold(term, plan, shown));
    DocId docids[kBlockLength + kSelectSlack];
    Score scores[kBlockLength + kSelectSlack];
    for (std::uint32_t block = 0; block < term.blocks(); ++block) {
      if (block % kBlocksBetweenGlances == 0 && plan.deadline.passed(clock)) return deadline_passed();
      if (plan.priors != nullptr) threshold.look_at(term.first_possible(block), term.list().last_docid(block));
      const auto least = threshold.least();
      if (term.block_bound(block) < least) continue;
      term.enter(block);
      const auto postings = shown.scored(term, 0, term.size());
      const auto kept =
          select(postings.docids, postings.scores, postings.count, static_cast<Score>(least), {docids, scores});
      threshold.offer({docids, scores}, kept);
    }
  }
  engine::Outcome outcome;
  outcome.matches = postings_left(term, plan);
  if (term.corrupt()) return term.error();
  outcome.hits = threshold.take();
  outcome.postings_decoded = term.postings_decoded();
  return outcome;
}

namespace {

Result<engine::Outcome> search_one(const engine::Plan& plan, const Clock& clock) {
  if (plan.deadline.passed(clock)) return Error(Code::kDeadline, "the deadline passed before evaluation");
  for (const auto& term : plan.terms) term.list->postings.prefetch();
  std::size_t lists = 0;
  std::uint64_t longest = 0;
  for (const auto& term : plan.terms) {
    lists += term.list->postings.count() > 0;
    longest = std::max(longest, term.list->postings.count());
  }
  if (lists == 0 || (plan.mode == engine::Mode::kAnd && lists < plan.terms.size())) return engine::Outcome{};
  if (!plan.ranked) return search_unranked(plan, clock);
  if (plan.mode == engine::Mode::kOr && plan.k > 0 && searches_few(plan)) return search_filtered_or(plan, clock);
  if (lists == 1) return search_single_term(plan, clock);
  if (plan.mode == engine::Mode::kAnd) return search_conjunction(plan, clock);
  // With k == 0 only a count is wanted, and the longest list is a lower bound.
  if (plan.k == 0) return engine::Outcome{.hits = {}, .matches = engine::least_matches(plan, longest), .exact = false};
  return search_disjunction(plan, clock);
}

}  // namespace

std::vector<Result<engine::Outcome>> CpuEngine::search(std::span<const engine::Plan> plans, const Clock& clock) {
  std::vector<Result<engine::Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (const auto& plan : plans) outcomes.push_back(search_one(plan, clock));
  return outcomes;
}

}  // namespace frond::leaf::cpu
