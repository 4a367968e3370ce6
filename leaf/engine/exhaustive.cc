#include "leaf/engine/exhaustive.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "common/partition/partition.h"

namespace frond::leaf::engine {
namespace {

struct Sum {
  scoring::Score score = 0;
  std::size_t terms = 0;
};
using Sums = std::map<DocId, Sum>;

Result<void> add_term(const Plan& plan, const PlanTerm& term, const Clock& clock, Sums& sums) {
  const auto& list = term.list->postings;
  std::array<std::uint32_t, codec::kBlockLength> docids{}, frequencies{};
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    if (plan.deadline.passed(clock)) return Error(Code::kDeadline, "the deadline passed during evaluation");
    FROND_TRY(list.decode_docids(block, docids));
    FROND_TRY(list.decode_frequencies(block, frequencies));
    for (std::uint32_t i = 0; i < list.block_size(block); ++i) {
      if (docids[i] >= plan.lengths.size())
        return Error(Code::kCorrupt, "docID " + std::to_string(docids[i]) + " is past the last document");
      auto& sum = sums[docids[i]];
      sum.score += scoring::contribution(term.weight, frequencies[i], plan.lengths[docids[i]], plan.norm);
      ++sum.terms;
    }
  }
  return {};
}

Result<Outcome> search_one(const Plan& plan, const Clock& clock) {
  Sums sums;
  Outcome outcome;
  for (const auto& term : plan.terms) {
    auto added = add_term(plan, term, clock, sums);
    if (!added) return std::move(added).error().within("list of " + partition::printable(term.list->key.term));
    outcome.postings_decoded += term.list->postings.count();
  }
  const std::size_t least_terms = plan.mode == Mode::kAnd ? plan.terms.size() : 1;
  for (const auto& [docid, sum] : sums)
    if (sum.terms >= least_terms && (plan.hidden == nullptr || !plan.hidden->contains(docid)))
      outcome.hits.push_back(
          {plan.placement.ordinal(docid), plan.ranked ? scoring::with_prior(sum.score, prior_score(plan, docid)) : 0});
  outcome.matches = outcome.hits.size();
  std::sort(outcome.hits.begin(), outcome.hits.end(), topk::better);
  if (outcome.hits.size() > plan.k) outcome.hits.resize(plan.k);
  return outcome;
}

}  // namespace

std::vector<Result<Outcome>> ExhaustiveEngine::search(std::span<const Plan> plans, const Clock& clock) {
  std::vector<Result<Outcome>> outcomes;
  outcomes.reserve(plans.size());
  for (const auto& plan : plans) outcomes.push_back(search_one(plan, clock));
  return outcomes;
}

}  // namespace frond::leaf::engine
