#include "common/query/normal_bool.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"

namespace frond::query {
namespace {

void append(std::vector<Clause>&& from, std::vector<Clause>& to) { std::ranges::move(from, std::back_inserter(to)); }

template <class T>
bool is(const Clause& clause) {
  return clause.as<T>() != nullptr;
}

// Any one of its clauses is enough, and it has nothing else.
Bool* any_of(Clause& clause) {
  auto* const both = clause.as<Bool>();
  const bool any = both != nullptr && !both->should.empty() && both->must.empty() && both->filter.empty() &&
                   both->must_not.empty() && !both->minimum;
  return any ? both : nullptr;
}

}  // namespace

void sort_by_json(std::vector<Clause>& clauses, bool once) {
  if (clauses.size() < 2) return;
  std::vector<std::pair<std::string, Clause>> keyed;
  for (Clause& one : clauses) {
    std::string key = clause_json(one);
    keyed.emplace_back(std::move(key), std::move(one));
  }
  std::ranges::stable_sort(keyed, {}, &std::pair<std::string, Clause>::first);
  clauses.clear();
  for (std::size_t i = 0; i < keyed.size(); ++i)
    if (!once || i == 0 || keyed[i].first != keyed[i - 1].first) clauses.push_back(std::move(keyed[i].second));
}

// A number of clauses, or kAllFirst.
void NormalBool::settle_minimum() {
  if (is_auto() && should.empty()) minimum = {};
  if (is_auto() && (!scored_ || should.size() == 1)) minimum = {MinimumMatch::Kind::kCount, 1};
  if (!is_auto())
    minimum = {MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(matches_needed(minimum, should.size()))};
}

void NormalBool::reduce_should() {
  std::erase_if(should, is<None>);
  const auto everywhere = static_cast<std::uint32_t>(std::erase_if(should, is<All>));
  minimum.number -= std::min(minimum.number, everywhere);
  if (minimum.number <= 1) {
    std::vector<Clause> flat;
    for (Clause& one : should) {
      Bool* const inner = any_of(one);
      if (inner == nullptr)
        flat.push_back(std::move(one));
      else
        append(std::move(inner->should), flat);
    }
    should = std::move(flat);
    merge_terms();
    // Those that add no score.
    std::vector<Clause> unscored, scoring;
    for (Clause& one : should) (scored_ && is_scoring(one, schema_) ? scoring : unscored).push_back(std::move(one));
    should = std::move(scoring);
    sort_by_json(unscored, true);
    if (minimum.number == 1) append(std::move(unscored), should);
  }
}

// Any of these values or any of those is any of all of them, where they add no score.
void NormalBool::merge_terms() {
  std::vector<Clause> merged;
  for (Clause& one : should) {
    auto* const terms = one.as<Terms>();
    const bool counts = terms != nullptr && (!scored_ || !is_scoring(one, schema_));
    const auto same = std::ranges::find_if(merged, [&](const Clause& before) {
      const auto* const other = before.as<Terms>();
      return counts && other != nullptr && other->field == terms->field;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(one));
      continue;
    }
    auto& values = same->as<Terms>()->values;
    std::ranges::move(terms->values, std::back_inserter(values));
  }
  for (Clause& one : merged)
    if (auto* const terms = one.as<Terms>()) sort_once(terms->values);
  should = std::move(merged);
}

// All of them are needed: then they are no choice.
void NormalBool::move_should_up() {
  if (is_auto()) return;
  if (minimum.number > should.size()) nothing_ = true;
  if (minimum.number == 0 || minimum.number != should.size()) return;
  append(std::move(should), scored_ ? must : filter);
  should.clear();
  minimum.number = 0;
}

void NormalBool::flatten_must() {
  std::vector<Clause> flat;
  for (Clause& one : must) {
    auto* const both = one.as<Bool>();
    if (both != nullptr && both->should.empty()) {
      append(std::move(both->must), flat);
      append(std::move(both->filter), filter);
      append(std::move(both->must_not), must_not);
    } else if (scored_ && (is_scoring(one, schema_) || has_auto(one))) {  // kAuto means something else in a filter
      flat.push_back(std::move(one));
    } else {
      filter.push_back(std::move(one));
    }
  }
  must = std::move(flat);
}

void NormalBool::flatten_must_not() {
  std::vector<Clause> each, flat;
  for (Clause& one : must_not) {
    if (Bool* const any = any_of(one); any != nullptr)
      append(std::move(any->should), each);
    else
      each.push_back(std::move(one));
  }
  for (Clause& one : each) {
    auto* const both = one.as<Bool>();
    if (is<All>(one)) nothing_ = true;
    if (both != nullptr && both->must_not.size() == 1 && both->filter.empty() && both->should.empty())
      filter.push_back(std::move(both->must_not.front()));  // not not
    else if (!is<None>(one))
      flat.push_back(std::move(one));
  }
  must_not = std::move(flat);
}

void NormalBool::flatten_filter() {
  std::vector<Clause> flat;
  for (Clause& one : filter) {
    auto* const both = one.as<Bool>();
    if (is<None>(one)) nothing_ = true;
    if (both != nullptr && both->should.empty()) {
      append(std::move(both->filter), flat);
      append(std::move(both->must_not), must_not);
    } else {
      flat.push_back(std::move(one));
    }
  }
  std::erase_if(flat, is<All>);
  filter = std::move(flat);
}

Clause NormalBool::clause() && {
  settle_minimum();
  if (!is_auto()) reduce_should();
  move_should_up();
  flatten_must();
  flatten_must_not();
  flatten_filter();
  if (nothing_) return {None()};
  sort_by_json(must, false);
  sort_by_json(should, false);
  sort_by_json(must_not, true);
  sort_by_json(filter, true);
  const std::size_t others = should.size() + must_not.size();
  if (must.empty() && filter.empty() && others == 0) return {All()};
  if (must.size() == 1 && filter.empty() && others == 0) return std::move(must.front());
  if (filter.size() == 1 && must.empty() && others == 0 && (!scored_ || !is_scoring(filter.front(), schema_)))
    return std::move(filter.front());
  const std::uint32_t usual = must.empty() && filter.empty() && !should.empty() ? 1 : 0;
  Bool both{std::move(must), std::move(should), std::move(must_not), std::move(filter), {}};
  if (is_auto() || minimum.number != usual) both.minimum = minimum;
  return {std::move(both)};
}

}  // namespace frond::query
