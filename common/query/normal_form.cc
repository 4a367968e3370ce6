#include "common/query/normal_form.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/query/normal_bool.h"
#include "common/query/pattern.h"

namespace frond::query {
namespace {

class Normalizer {
 public:
  explicit Normalizer(const schema::Schema& schema) : schema_(schema) {}

  // `scored`: false where only matches count; `boost` is 1 then.
  Clause of(const Clause& clause, Factor boost, bool scored) const {
    Clause normal = std::visit([&](const auto& node) { return node_of(node, boost, scored); }, clause.node);
    const bool has_parts = normal.as<Bool>() != nullptr || normal.as<Max>() != nullptr;
    if (!has_parts || !scored || is_scoring(normal, schema_) || has_auto(normal)) return normal;
    return filter_of(normal);
  }

 private:
  // A leaf with its boost.
  Clause leaf(Clause clause, Factor boost, bool scored) const {
    if (!scored || !is_scoring(clause, schema_)) return clause;
    return boosted(std::move(clause), boost);
  }
  // Where scores count: the matches alone.
  Clause filter_of(const Clause& clause) const {
    NormalBool matches(schema_, true);
    matches.filter.push_back(of(clause, Factor(), false));
    return std::move(matches).clause();
  }

  Clause node_of(const None& none, Factor, bool) const { return {none}; }
  Clause node_of(const All& all, Factor, bool) const { return {all}; }
  Clause node_of(Words words, Factor boost, bool scored) const {
    if (words.mode == Mode::kAuto && !scored) words.mode = Mode::kOr;
    return leaf({std::move(words)}, boost, scored);
  }
  Clause node_of(const Phrase& phrase, Factor boost, bool scored) const { return leaf({phrase}, boost, scored); }
  Clause node_of(const Prefix& prefix, Factor boost, bool scored) const { return leaf({prefix}, boost, scored); }
  Clause node_of(const Wildcard& wildcard, Factor boost, bool scored) const {
    return leaf(simplest_pattern(wildcard), boost, scored);
  }
  Clause node_of(Terms terms, Factor boost, bool scored) const {
    if (terms.values.empty()) return {None()};
    sort_once(terms.values);
    return leaf({std::move(terms)}, boost, scored);
  }
  Clause node_of(Weights weights, Factor boost, bool scored) const {
    std::erase_if(weights.tokens, [](const WeightedToken& token) { return token.weight.units == 0; });
    if (weights.tokens.empty()) return {None()};
    std::ranges::stable_sort(weights.tokens, {}, &WeightedToken::token);
    return leaf({std::move(weights)}, boost, scored);
  }
  Clause node_of(const Range& range, Factor, bool) const { return {range}; }
  Clause node_of(const Exists& exists, Factor, bool) const { return {exists}; }
  Clause node_of(Ids ids, Factor, bool) const {
    if (ids.ids.empty()) return {None()};
    sort_once(ids.ids);
    return {std::move(ids)};
  }

  std::vector<Clause> all_of(const std::vector<Clause>& clauses, Factor boost, bool scored) const {
    std::vector<Clause> normal;
    normal.reserve(clauses.size());
    for (const Clause& one : clauses) normal.push_back(of(one, boost, scored));
    return normal;
  }
  Clause node_of(const Bool& both, Factor boost, bool scored) const {
    NormalBool normal(schema_, scored);
    normal.must = all_of(both.must, boost, scored);
    normal.should = all_of(both.should, boost, scored);
    normal.must_not = all_of(both.must_not, Factor(), false);
    normal.filter = all_of(both.filter, Factor(), false);
    const std::uint32_t usual = both.must.empty() && both.filter.empty() && !both.should.empty() ? 1 : 0;
    normal.minimum = both.minimum.value_or(MinimumMatch{MinimumMatch::Kind::kCount, usual});
    return std::move(normal).clause();
  }
  Clause node_of(const Max& max, Factor boost, bool scored) const {
    Max normal{{}, max.tie_breaker};
    for (Clause& one : all_of(max.of, boost, scored)) {
      auto* const inner = one.as<Max>();
      if (inner != nullptr && inner->tie_breaker == max.tie_breaker && max.tie_breaker.units == 0)
        std::ranges::move(inner->of, std::back_inserter(normal.of));
      else if (one.as<None>() == nullptr)
        normal.of.push_back(std::move(one));
    }
    const bool best = std::ranges::any_of(normal.of, [&](const Clause& one) { return is_scoring(one, schema_); });
    if (normal.of.empty()) return {None()};
    if (!best || !scored) {
      NormalBool any(schema_, scored);
      any.should = std::move(normal.of);
      any.minimum.number = 1;
      return std::move(any).clause();
    }
    sort_by_json(normal.of, /*once=*/normal.tie_breaker.units == 0);
    if (normal.of.size() == 1) return std::move(normal.of.front());
    return {std::move(normal)};
  }
  Clause node_of(const Constant& constant, Factor boost, bool scored) const {
    const Factor score = product(constant.score, boost, kMaxConstantScore);
    if (scored && score.units == 0) return filter_of(constant.of.front());
    Constant normal{{}, score};
    normal.of.push_back(of(constant.of.front(), Factor(), false));
    if (!scored || normal.of.front().as<None>() != nullptr) return std::move(normal.of.front());
    return {std::move(normal)};
  }
  Clause node_of(const Boost& boost, Factor outer, bool scored) const {
    const Factor by = scored ? product(outer, boost.by, kMaxBoost) : Factor();
    return by.units == 0 ? filter_of(boost.of.front()) : of(boost.of.front(), by, scored);
  }

  const schema::Schema& schema_;
};

}  // namespace

Clause normal_form(const Clause& bound, const schema::Schema& schema) {
  return Normalizer(schema).of(bound, Factor(), true);
}

std::string cache_key(const Clause& normal) { return clause_json(normal); }

}  // namespace frond::query
