#include "leaf/clauses/word_search.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "leaf/clauses/matchers/bits_matcher.h"
#include "leaf/clauses/resolve/flat_query.h"
#include "leaf/cpu/algorithms.h"
#include "leaf/cpu/cpu_engine.h"
#include "leaf/cpu/window_matches.h"

namespace frond::leaf::clauses {
namespace {

static_assert(kWindow == cpu::kWindowDocuments);

Result<engine::Outcome> best_of(const engine::Plan& words, const Clock& clock) {
  return std::move(cpu::CpuEngine().search(std::span(&words, 1), clock)[0]);
}

// Of a ranking that did not count as many as it should.
Result<void> count(const engine::Plan& words, const Clock& clock, engine::Outcome& outcome) {
  engine::Plan unranked = words;
  unranked.ranked = false;
  unranked.k = 0;
  const engine::Outcome counted = FROND_TRY(best_of(unranked, clock));
  outcome.matches = counted.matches;
  outcome.exact = true;
  outcome.postings_decoded += counted.postings_decoded;
  return {};
}

// Whether more than half of the documents match, as far as the lists' lengths tell.
bool most_match(const engine::Plan& words) {
  std::uint64_t longest = 0;
  for (const engine::PlanTerm& term : words.terms) longest = std::max(longest, term.list->postings.count());
  return words.mode == engine::Mode::kOr && engine::least_matches(words, longest) > words.lengths.size() / 2;
}

// Gives a collector that counts the rest the windows that are left out of a visit, too.
class RestOfWindows {
 public:
  RestOfWindows(const engine::Plan& words, Collector& to, Matcher& root)
      : documents_(static_cast<std::uint32_t>(words.lengths.size())), to_(to), root_(root) {}
  // Windows ascend; kNoDoc for what is behind the last.
  Result<void> take(DocId first, const Bits& matching) {
    for (; next_ < std::min(first, documents_); next_ += kWindow) FROND_TRY(give(next_, Bits()));
    if (first == kNoDoc) return {};
    next_ = first + kWindow;
    return give(first, matching);
  }

 private:
  Result<void> give(DocId first, const Bits& matching) {
    Bits rest{};
    const std::uint32_t here = std::min(kWindow, documents_ - first);
    for (std::uint32_t i = 0; i * 64 < here; ++i) {
      const std::uint64_t all = here - i * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here % 64) - 1;
      rest[i] = all & ~matching[i];
    }
    return to_.take(first, rest, root_);
  }
  const std::uint32_t documents_;
  Collector& to_;
  Matcher& root_;
  DocId next_ = 0;
};

}  // namespace

std::optional<engine::Plan> words_plan(const ClausePlan& plan) {
  if (cpu::searches_few(plan.plan)) return std::nullopt;  // those lead, and most blocks are not read
  const auto flat = flat_query(*plan.query);
  if (!flat || !flat->is_words) return std::nullopt;
  engine::Plan words = plan.plan;
  words.mode = flat->mode;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < flat->terms.size(); ++i) {
    const float weight = flat->terms[i].weight;
    const scoring::BoundScale bounds(weight, plan.query->bm25, plan.query->statistics, plan.built);
    most += bounds.bound(0);
    lists::ListLease list = plan.lists[i];
    if (list == nullptr) list = std::make_shared<const lists::List>();
    if (words.mode == engine::Mode::kAnd || list->postings.count() != 0)
      words.terms.push_back({std::move(list), weight, bounds});
  }
  if (most > scoring::kMaxScore) return std::nullopt;
  return words;
}

Result<engine::Outcome> search_words(const engine::Plan& words, const Clock& clock, Collector* sorted,
                                     Collector* counted) {
  engine::Outcome outcome;
  const bool has_hits = sorted == nullptr && words.k > 0;
  if (has_hits || (sorted == nullptr && counted == nullptr)) outcome = FROND_TRY(best_of(words, clock));
  if (sorted == nullptr && counted == nullptr) {
    if (!outcome.exact && outcome.matches < words.count_to) FROND_TRY(count(words, clock, outcome));
    return outcome;
  }
  outcome.matches = 0;
  outcome.exact = true;
  EveryMatcher root(static_cast<std::uint32_t>(words.lengths.size()));  // nothing is scored
  std::optional<RestOfWindows> rest;
  if (counted != nullptr && most_match(words) && counted->counts_rest()) rest.emplace(words, *counted, root);
  const auto take = [&](DocId first, const Bits& documents) -> Result<bool> {
    const std::size_t matches = cpu::count_bits(documents.data(), documents.size());
    outcome.matches += matches;
    if (matches == 0) return true;
    if (sorted != nullptr) FROND_TRY(sorted->take(first, documents, root));
    if (counted != nullptr) FROND_TRY(rest ? rest->take(first, documents) : counted->take(first, documents, root));
    return true;
  };
  outcome.postings_decoded += FROND_TRY(cpu::visit_matches(words, clock, take));
  if (rest) FROND_TRY(rest->take(kNoDoc, {}));
  return outcome;
}

}  // namespace frond::leaf::clauses
