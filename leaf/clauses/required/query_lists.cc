#include "leaf/clauses/required/query_lists.h"

#include <variant>

namespace frond::leaf::clauses {

const engine::Plan& QueryLists::of_field(std::uint32_t field) {
  if (field == kAllText) return plan_.plan;
  const auto [at, is_new] = fields_.try_emplace(field);
  engine::Plan& made = at->second;
  if (!is_new) return made;
  made.lengths = plan_.partition->lengths_in(field);
  made.norm = plan_.query->norms.at(field);
  return made;
}

// False: the partition does not have it.
Result<bool> QueryLists::add(ListNumber number, float weight, query::Factor factor, std::vector<JoinedList>& to) {
  if (plan_.lists[number] == nullptr || plan_.lists[number]->postings.count() == 0) return false;
  const std::uint32_t field = plan_.query->lists[number].field;
  const engine::PlanTerm term{plan_.lists[number], weight,
                              scoring::BoundScale(weight, plan_.query->bm25, plan_.query->statistics, plan_.built)};
  JoinedList& made = to.emplace_back(of_field(field), term, factor, field == kAllText);
  if (made.reader().corrupt()) return made.reader().error();
  return true;
}

Result<bool> QueryLists::open(std::span<const std::uint64_t> hashes) {
  required_.reserve(query_.required.size() + hashes.size());
  optional_.lists().reserve(query_.optional.size());
  excluded_.reserve(query_.excluded.size());
  for (const Node* const node : query_.required) {
    const auto& term = std::get<TermNode>(node->what);
    if (!FROND_TRY(add(term.list, term.weight, node->boost, required_))) return false;
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto& phrase = std::get<PhraseNode>(query_.phrase->what);
    const auto is_same = [&](const JoinedList& one) { return one.in_phrase && one.hash == hashes[i]; };
    if (const auto known = std::ranges::find_if(required_, is_same); known != required_.end()) {
      ++known->occurrences;
      continue;
    }
    if (!FROND_TRY(add(phrase.words[i].lists.front(), phrase.weight, query_.phrase->boost, required_))) return false;
    required_.back().in_phrase = true;
    required_.back().bounds_phrase = phrase.slop == 0 || i == 0;
    required_.back().hash = hashes[i];
  }
  for (const Node* const node : query_.optional) {
    const auto& term = std::get<TermNode>(node->what);
    FROND_TRY(add(term.list, term.weight, node->boost, optional_.lists()));
  }
  for (const Node* const node : query_.excluded)
    FROND_TRY(add(std::get<TermNode>(node->what).list, 0, query::Factor(), excluded_));
  for (JoinedList& one : required_) order_.push_back(&one);
  order_by_length();
  return true;
}

void QueryLists::order_by_length() {
  std::ranges::stable_sort(order_, {}, [](const JoinedList* one) { return one->reader().list().count(); });
}

void QueryLists::require_the_optional() {
  optional_.leave_out();
  order_.push_back(&optional_.lists().front());
  order_by_length();
}

Result<void> QueryLists::status() const {
  for (const auto* const lists : {&required_, &optional_.lists(), &excluded_})
    for (const JoinedList& one : *lists)
      if (one.reader().corrupt()) return one.reader().error();
  return {};
}

std::uint64_t QueryLists::postings_decoded() const {
  std::uint64_t sum = 0;
  for (const auto* const lists : {&required_, &optional_.lists(), &excluded_})
    for (const JoinedList& one : *lists) sum += one.reader().postings_decoded();
  return sum;
}

}  // namespace frond::leaf::clauses
