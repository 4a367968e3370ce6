#include "common/query/limits.h"

#include <algorithm>
#include <string>

namespace frond::query {
namespace {

std::size_t written_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

struct LeafCost {
  Cost& cost;

  void text(std::string_view one) {
    cost.terms += written_words(one);
    cost.bytes += one.size();
  }
  void pattern(std::string_view one) {
    ++cost.patterns;
    cost.bytes += one.size();
  }
  void operator()(const Words& words) { text(words.text); }
  void operator()(const Phrase& phrase) {
    text(phrase.text);
    cost.patterns += phrase.prefix ? 1 : 0;
  }
  void operator()(const Prefix& prefix) { pattern(prefix.text); }
  void operator()(const Wildcard& wildcard) { pattern(wildcard.pattern); }
  void operator()(const Terms& terms) {
    cost.values += terms.values.size();
    for (const Value& value : terms.values) {
      const auto* const one = std::get_if<std::string>(&value);
      cost.bytes += one == nullptr ? sizeof(std::int64_t) : one->size();
    }
  }
  void operator()(const Weights& weights) {
    cost.terms += weights.tokens.size();
    for (const auto& token : weights.tokens) cost.bytes += token.token.size();
  }
  void operator()(const Ids& ids) {
    cost.values += ids.ids.size();
    for (const auto& id : ids.ids) cost.bytes += id.size();
  }
  void operator()(const auto&) {}
};

void add_cost(const Clause& clause, std::size_t depth, Cost& cost) {
  ++cost.clauses;
  cost.depth = std::max(cost.depth, depth);
  if (const std::string* field = field_of(clause)) cost.bytes += field->size();
  LeafCost leaf{cost};
  std::visit([&](const auto& node) { leaf(node); }, clause.node);
  for_each_child(clause, [&](const Clause& child) { add_cost(child, depth + 1, cost); });
}

Result<void> check_one(std::size_t has, std::string_view what, std::string_view name, std::size_t max) {
  if (has <= max) return {};
  return Error(Code::kInvalid, "the query has " + std::to_string(has) + " " + std::string(what) + ", more than " +
                                   std::string(name) + " (" + std::to_string(max) + ")");
}

constexpr std::size_t kMaxPatternBytes = 1024;

Result<void> check_leaves(const Clause& clause, const Limits& limits) {
  const auto* const wildcard = clause.as<Wildcard>();
  const auto* const prefix = clause.as<Prefix>();
  if (wildcard != nullptr || prefix != nullptr) {
    const std::string& pattern = wildcard != nullptr ? wildcard->pattern : prefix->text;
    const std::size_t fixed = wildcard != nullptr
                                  ? fixed_characters(pattern)
                                  : static_cast<std::size_t>(std::ranges::count_if(pattern, begins_code_point));
    if (fixed < limits.min_prefix)
      return Error(Code::kInvalid, "the " + std::string(name_of(clause)) + " " + schema::quote(pattern) +
                                       " begins with " + std::to_string(fixed) +
                                       " characters, fewer than min_prefix (" + std::to_string(limits.min_prefix) +
                                       ")");
  }
  if (const auto* phrase = clause.as<Phrase>(); phrase != nullptr && phrase->slop > limits.max_slop)
    return Error(Code::kInvalid, "the phrase " + schema::quote(phrase->text) + " has slop " +
                                     std::to_string(phrase->slop) + ", more than max_slop (" +
                                     std::to_string(limits.max_slop) + ")");
  if (const auto* phrase = clause.as<Phrase>(); phrase != nullptr && phrase->prefix) {
    const std::string_view text = phrase->text;
    const std::string_view last = text.substr(text.find_last_of(" \t\n\r") + 1);
    if (static_cast<std::size_t>(std::ranges::count_if(last, begins_code_point)) < limits.min_prefix)
      return Error(Code::kInvalid, "the last word of the phrase " + schema::quote(phrase->text) +
                                       " has fewer characters than min_prefix (" + std::to_string(limits.min_prefix) +
                                       ")");
  }
  if (wildcard != nullptr && wildcard->pattern.size() > kMaxPatternBytes)
    return Error(Code::kInvalid, "a wildcard of " + std::to_string(wildcard->pattern.size()) + " bytes, more than " +
                                     std::to_string(kMaxPatternBytes));
  Result<void> result;
  for_each_child(clause, [&](const Clause& child) {
    if (result) result = check_leaves(child, limits);
  });
  return result;
}

// `boost`: of what the clause stands in.
Result<void> check_boosts(const Clause& clause, Factor boost) {
  const auto too_much = [&](Factor by, double most) { return boost.value() * by.value() > most; };
  if (const auto* boosted = clause.as<Boost>()) {
    if (too_much(boosted->by, kMaxBoost))
      return Error(Code::kInvalid, "the query has boosts inside each other whose product is more than " +
                                       std::to_string(static_cast<int>(kMaxBoost)));
    return check_boosts(boosted->of.front(), product(boost, boosted->by, kMaxBoost));
  }
  if (const auto* constant = clause.as<Constant>()) {
    if (too_much(constant->score, kMaxConstantScore))
      return Error(Code::kInvalid, "the query has a constant score that is more than " +
                                       std::to_string(static_cast<int>(kMaxConstantScore)) + " with its boosts");
    return check_boosts(constant->of.front(), Factor());
  }
  Result<void> result;
  for_each_child(clause, [&](const Clause& child) {
    const auto* const both = clause.as<Bool>();
    const auto is_one_of = [&](const std::vector<Clause>& some) {
      return !some.empty() && &child >= some.data() && &child < some.data() + some.size();
    };
    const bool only_matches = both != nullptr && (is_one_of(both->must_not) || is_one_of(both->filter));
    if (result) result = check_boosts(child, only_matches ? Factor() : boost);
  });
  return result;
}

}  // namespace

Cost cost_of(const Clause& clause) {
  Cost cost;
  add_cost(clause, 1, cost);
  return cost;
}

Result<void> check_limits(const Clause& clause, const Limits& limits) {
  const Cost cost = cost_of(clause);
  FROND_TRY(check_one(cost.clauses, "clauses", "max_clauses", limits.max_clauses));
  FROND_TRY(
      check_one(cost.depth, "clauses inside each other", "max_depth", std::min(limits.max_depth, kMaxClauseDepth)));
  FROND_TRY(check_one(cost.terms, "words", "max_terms", limits.max_terms));
  FROND_TRY(check_one(cost.values, "values", "max_values", limits.max_values));
  FROND_TRY(check_one(cost.bytes, "bytes", "max_bytes", limits.max_bytes));
  FROND_TRY(check_one(cost.patterns, "prefixes and wildcards", "max_patterns", limits.max_patterns));
  FROND_TRY(check_boosts(clause, Factor()));
  return check_leaves(clause, limits);
}

std::size_t fixed_characters(std::string_view pattern) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < pattern.size() && pattern[i] != '*' && pattern[i] != '?'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    characters += begins_code_point(pattern[i]) ? 1 : 0;
  }
  return characters;
}

}  // namespace frond::query
