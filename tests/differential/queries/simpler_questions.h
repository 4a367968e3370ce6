#pragma once
// Questions that are a little simpler than another, so that one which shows a fault can be made as simple as it goes.
#include <functional>
#include <utility>
#include <vector>

#include "tests/differential/queries/question.h"

namespace frond::queries_test {

// Clauses with one part less, or a part in place of the whole.
inline std::vector<query::Clause> simpler_clauses(const query::Clause& clause) {
  std::vector<query::Clause> simpler;
  query::for_each_child(clause, [&](const query::Clause& child) { simpler.push_back(child); });
  // The same with one child of `all` left out, or simpler itself.
  const auto vary = [&](std::vector<query::Clause>& all, const query::Clause& whole, bool may_lack) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const query::Clause child = all[i];
      if (may_lack) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        simpler.push_back(whole);
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), child);
      }
      for (query::Clause& one : simpler_clauses(child)) {
        all[i] = std::move(one);
        simpler.push_back(whole);
      }
      all[i] = child;
    }
  };
  query::Clause copy = clause;
  if (auto* const both = copy.as<query::Bool>()) {
    for (auto* const part : {&both->must, &both->should, &both->must_not, &both->filter}) vary(*part, copy, true);
    if (both->minimum) {
      both->minimum = {};
      simpler.push_back(copy);
    }
  } else if (auto* const max = copy.as<query::Max>()) {
    vary(max->of, copy, true);
  } else if (auto* const constant = copy.as<query::Constant>()) {
    vary(constant->of, copy, false);
  } else if (auto* const boost = copy.as<query::Boost>()) {
    vary(boost->of, copy, false);
  } else if (auto* const words = copy.as<query::Words>()) {
    const auto space = words->text.rfind(' ');
    if (space != words->text.npos) {
      words->text.resize(space);
      simpler.push_back(copy);
    }
  } else if (auto* const weights = copy.as<query::Weights>(); weights != nullptr && weights->tokens.size() > 1) {
    weights->tokens.pop_back();
    simpler.push_back(copy);
  }
  return simpler;
}

inline std::vector<Question> simpler_questions(const Question& asked) {
  std::vector<Question> simpler;
  const auto add = [&](auto&& change) {
    Question one = asked;
    change(one);
    simpler.push_back(std::move(one));
  };
  if (asked.filter)
    add([](Question& one) {
      one.filter.reset();
      one.filter_q.clear();
    });
  if (!asked.facets.empty()) add([](Question& one) { one.facets.pop_back(); });
  for (std::size_t i = 0; i < asked.facets.size(); ++i)
    for (const query::Facet& inside : asked.facets[i].inside) add([&](Question& one) { one.facets = {inside}; });
  if (asked.sort.size() > 0) add([](Question& one) { one.sort.pop_back(); });
  if (asked.offset != 0) add([](Question& one) { one.offset = 0; });
  if (asked.exact_total) add([](Question& one) { one.exact_total = false; });
  if (!asked.cached) add([](Question& one) { one.cached = true; });
  if (asked.k1 || asked.b || asked.prior_weight) add([](Question& one) { one.k1 = one.b = one.prior_weight = {}; });
  // The q of a clause is that of this clause alone.
  for (query::Clause& clause : simpler_clauses(asked.clause))
    add([&](Question& one) {
      one.q.clear();
      one.clause = std::move(clause);
    });
  if (asked.filter)
    for (query::Clause& clause : simpler_clauses(*asked.filter))
      add([&](Question& one) {
        one.filter_q.clear();
        one.filter = std::move(clause);
      });
  return simpler;
}

// The simplest one that still `differs`, found step by step.
inline Question simplest(Question question, const std::function<bool(const Question&)>& differs) {
  for (int steps = 0; steps < 200; ++steps) {
    bool found = false;
    for (Question& one : simpler_questions(question))
      if (differs(one)) {
        question = std::move(one);
        found = true;
        break;
      }
    if (!found) break;
  }
  return question;
}

}  // namespace frond::queries_test
