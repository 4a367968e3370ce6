#include "common/query/clause.h"

#include <algorithm>

#include "common/base/text.h"

namespace frond::query {

bool Bool::operator==(const Bool& o) const {
  return must == o.must && should == o.should && must_not == o.must_not && filter == o.filter && minimum == o.minimum;
}
bool Max::operator==(const Max& o) const { return of == o.of && tie_breaker == o.tie_breaker; }
bool Constant::operator==(const Constant& o) const { return of == o.of && score == o.score; }
bool Boost::operator==(const Boost& o) const { return of == o.of && by == o.by; }
bool Clause::operator==(const Clause& o) const { return node == o.node; }

std::string_view name_of(const Clause& clause) {
  static constexpr std::string_view kNames[] = {"none",     "all",   "words",   "phrase",   "prefix",
                                                "wildcard", "terms", "weights", "range",    "exists",
                                                "ids",      "bool",  "max",     "constant", "boost"};
  const auto* const terms = clause.as<Terms>();
  return terms != nullptr && terms->values.size() == 1 ? "term" : kNames[clause.node.index()];
}

const std::string* field_of(const Clause& clause) {
  return std::visit(
      [](const auto& node) -> const std::string* {
        if constexpr (requires { node.field; })
          return &node.field;
        else
          return nullptr;
      },
      clause.node);
}

Clause boosted(Clause clause, Factor by) {
  if (by.units == Factor::kOne) return clause;
  Boost boost{{}, by};
  boost.of.push_back(std::move(clause));
  return {std::move(boost)};
}

bool has_auto(const Clause& clause) {
  const auto any = [](const std::vector<Clause>& clauses) { return std::ranges::any_of(clauses, has_auto); };
  if (const auto* words = clause.as<Words>()) return words->mode == Mode::kAuto;
  if (const auto* max = clause.as<Max>()) return any(max->of);
  if (const auto* boost = clause.as<Boost>()) return boost->by.units != 0 && any(boost->of);
  const auto* const both = clause.as<Bool>();
  if (both == nullptr) return false;
  return (both->minimum && both->minimum->kind == MinimumMatch::Kind::kAllFirst) || any(both->must) ||
         any(both->should);
}

Clause resolved(Clause clause, Mode mode) {
  const auto resolve = [](std::vector<Clause>& clauses, Mode as) {
    for (Clause& one : clauses) one = resolved(std::move(one), as);
  };
  if (auto* words = clause.as<Words>()) {
    if (words->mode == Mode::kAuto) words->mode = mode;
  } else if (auto* both = clause.as<Bool>()) {
    resolve(both->must, mode);
    resolve(both->should, mode);
    resolve(both->must_not, Mode::kOr);
    resolve(both->filter, Mode::kOr);
    if (both->minimum && both->minimum->kind == MinimumMatch::Kind::kAllFirst) {
      const auto all = static_cast<std::uint32_t>(both->should.size());
      both->minimum = MinimumMatch{MinimumMatch::Kind::kCount, mode == Mode::kAnd ? all : std::min(all, 1u)};
    }
  } else if (auto* max = clause.as<Max>()) {
    resolve(max->of, mode);
  } else if (auto* constant = clause.as<Constant>()) {
    resolve(constant->of, Mode::kOr);
  } else if (auto* boost = clause.as<Boost>()) {
    resolve(boost->of, boost->by.units == 0 ? Mode::kOr : mode);
  }
  return clause;
}

std::size_t matches_needed(const MinimumMatch& minimum, std::size_t count) {
  if (minimum.kind == MinimumMatch::Kind::kCount) return minimum.number;
  if (minimum.kind == MinimumMatch::Kind::kAllFirst) return count == 0 ? 0 : 1;
  if (minimum.number == 0 || count == 0) return 0;
  return std::max<std::size_t>(1, count * minimum.number / 100);
}

std::optional<MinimumMatch> minimum_match_of(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = number_in<std::uint32_t>(text);
  if (!number || (percent && *number > 100)) return {};
  return MinimumMatch{percent ? MinimumMatch::Kind::kPercent : MinimumMatch::Kind::kCount, *number};
}

}  // namespace frond::query
