#include "leaf/clauses/required/required_query.h"

#include <algorithm>
#include <variant>

namespace frond::leaf::clauses {
namespace {

bool is_term(const Node& node) { return std::holds_alternative<TermNode>(node.what); }
bool is_none(const Node& node) { return std::holds_alternative<NoneNode>(node.what); }
bool are_terms(const std::vector<Node>& nodes) { return std::ranges::all_of(nodes, is_term); }
bool is_plain_phrase(const Node& node) {
  const auto* const phrase = std::get_if<PhraseNode>(&node.what);
  return phrase != nullptr &&
         std::ranges::all_of(phrase->words, [](const auto& word) { return word.lists.size() == 1; });
}
// A document has the sum of those that it has, if any: so it is, too, if they are optional each by itself. It may match
// without one if `minimum` is 0.
bool is_any_of_terms(const Node& node, std::size_t minimum) {
  const auto* const any = std::get_if<BoolNode>(&node.what);
  return any != nullptr && node.boost == query::Factor() && any->must.empty() && any->must_not.empty() &&
         any->filter.empty() && any->minimum <= 1 && any->minimum >= minimum && are_terms(any->should);
}
// `minimum`: of the nodes. False: there is one of another form.
bool add_optional(const std::vector<Node>& nodes, std::size_t minimum, std::vector<const Node*>& optional) {
  optional.reserve(nodes.size());
  for (const Node& node : nodes) {
    if (is_term(node)) {
      optional.push_back(&node);
    } else if (is_none(node)) {
      continue;
    } else if (minimum <= 1 && is_any_of_terms(node, minimum)) {
      for (const Node& term : std::get<BoolNode>(node.what).should) optional.push_back(&term);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<RequiredQuery> required_query(const Node& root) {
  RequiredQuery query;
  if (is_plain_phrase(root)) {
    query.phrase = &root;
    return query;
  }
  const auto* const both = std::get_if<BoolNode>(&root.what);
  if (both == nullptr || root.boost != query::Factor() || !both->filter.empty() ||
      !std::ranges::all_of(both->must_not, [](const Node& node) { return is_term(node) || is_none(node); }))
    return std::nullopt;
  const bool all = both->minimum != 0 && both->minimum == both->should.size() && are_terms(both->should);
  for (const Node& node : both->must) {
    if (is_term(node)) {
      query.required.push_back(&node);
    } else if (query.phrase == nullptr && is_plain_phrase(node)) {
      query.phrase = &node;
    } else {
      return std::nullopt;
    }
  }
  if (!all) query.minimum = both->minimum;
  if (all)
    for (const Node& node : both->should) query.required.push_back(&node);
  else if (!add_optional(both->should, both->minimum, query.optional))
    return std::nullopt;
  for (const Node& node : both->must_not)
    if (is_term(node)) query.excluded.push_back(&node);
  if (!query.is_led() && query.minimum == 0) return std::nullopt;  // a document may have none of all
  return query;
}

}  // namespace frond::leaf::clauses
