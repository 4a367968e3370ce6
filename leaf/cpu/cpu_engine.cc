#include "leaf/cpu/cpu_engine.h"

#include <algorithm>

#include "leaf/cpu/conjunction.h"
#include "leaf/cpu/single_term.h"
#include "leaf/cpu/unranked.h"

namespace frond::leaf::cpu {

Result<engine::Outcome> CpuEngine::search_one(const engine::Plan& plan, const Clock& clock) const {
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
  if (lists == 1) return search_single_term(plan, clock);
  if (plan.mode == engine::Mode::kAnd) return search_conjunction(plan, clock);
  // With k == 0 only a count is wanted, and the longest list is a lower bound.
  if (plan.k == 0) return engine::Outcome{.hits = {}, .matches = engine::least_matches(plan, longest), .exact = false};
  return disjunction_.search(plan, clock);
}

std::vector<Result<engine::Outcome>> CpuEngine::search(std::span<const engine::Plan> plans, const Clock& clock) {
  std::vector<Result<engine::Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (const auto& plan : plans) outcomes.push_back(search_one(plan, clock));
  return outcomes;
}

}  // namespace frond::leaf::cpu
