#include "leaf/cpu/cpu_engine.h"

#include <algorithm>

#include "leaf/cpu/conjunction.h"
#include "leaf/cpu/single_term.h"

namespace frond::leaf {

Result<Outcome> CpuEngine::search_one(const Plan& plan, const Clock& clock) const {
  if (plan.deadline.passed(clock)) return Error(Code::kDeadline, "the deadline passed before evaluation");
  for (const auto& term : plan.terms) term.list->postings.prefetch();
  std::size_t lists = 0;
  std::uint64_t longest = 0;
  for (const auto& term : plan.terms) {
    lists += term.list->postings.count() > 0;
    longest = std::max(longest, term.list->postings.count());
  }
  if (lists == 0 || (plan.mode == Mode::kAnd && lists < plan.terms.size())) return Outcome{};
  if (lists == 1) return cpu::search_single_term(plan, clock);
  if (plan.mode == Mode::kAnd) return cpu::search_conjunction(plan, clock);
  // Nobody asks which documents match: the longest list is a bound on how many do.
  if (plan.k == 0) return Outcome{.hits = {}, .matches = longest, .exact = false};
  return disjunction_.search(plan, clock);
}

std::vector<Result<Outcome>> CpuEngine::search(std::span<const Plan> plans, const Clock& clock) {
  std::vector<Result<Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (const auto& plan : plans) outcomes.push_back(search_one(plan, clock));
  return outcomes;
}

}  // namespace frond::leaf
