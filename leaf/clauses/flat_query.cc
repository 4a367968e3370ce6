#include "leaf/clauses/flat_query.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "leaf/clauses/required_query.h"

namespace frond::leaf::clauses {
namespace {

using engine::TermRole;

bool is_plain(const Node& node) { return node.boost.units == query::Factor::kOne; }

// The terms of a tree, as lists.
class FlatLists {
 public:
  explicit FlatLists(std::size_t lists) : known_(lists) {
    flat_.weights.resize(lists);
    flat_.roles.resize(lists, TermRole::kRequired);
  }
  // False: it is none, or is there twice.
  bool add(const Node& node, TermRole role) {
    const auto* const term = std::get_if<TermNode>(&node.what);
    if (term == nullptr || known_[term->list] || (role != TermRole::kExcluded && !is_plain(node))) return false;
    known_[term->list] = true;
    flat_.weights[term->list] = role == TermRole::kExcluded ? 0 : term->weight;
    flat_.roles[term->list] = role;
    flat_.is_words = flat_.is_words && role == TermRole::kRequired;
    return true;
  }
  // After all terms. False: it is not exact, or has an excluded word.
  bool add_phrase(const Node& node) {
    const auto& phrase = std::get<PhraseNode>(node.what);
    if (phrase.slop != 0 || phrase.field != kAllText || !is_plain(node)) return false;
    for (const PhraseNode::Word& word : phrase.words) {
      const ListNumber list = word.lists.front();
      if (flat_.roles[list] == TermRole::kExcluded) return false;
      flat_.roles[list] = TermRole::kRequired;
      known_[list] = true;
    }
    flat_.phrase = &phrase;
    flat_.is_words = false;
    return true;
  }
  std::optional<FlatQuery> take(engine::Mode mode) {
    flat_.mode = mode;
    if (!std::ranges::all_of(known_, [](bool known) { return known; })) return std::nullopt;
    return std::move(flat_);
  }
  bool add_all(const std::vector<const Node*>& nodes, TermRole role) {
    return std::ranges::all_of(nodes, [&](const Node* node) { return add(*node, role); });
  }

 private:
  FlatQuery flat_{.is_words = true};
  std::vector<bool> known_;
};

const BoolNode* any_of_terms(const Node& root) {
  const auto* const both = std::get_if<BoolNode>(&root.what);
  const bool any = both != nullptr && is_plain(root) && both->must.empty() && both->must_not.empty() &&
                   both->filter.empty() && !both->should.empty() && both->minimum == 1;
  return any ? both : nullptr;
}

}  // namespace

std::optional<FlatQuery> flat_query(const ResolvedQuery& query) {
  if (!std::ranges::all_of(query.lists, [](const QueryList& list) { return list.field == kAllText; }))
    return std::nullopt;
  FlatLists lists(query.lists.size());
  const auto add = [&lists](const Node& node) { return lists.add(node, TermRole::kRequired); };
  if (const BoolNode* const any = any_of_terms(query.root))
    return std::ranges::all_of(any->should, add) ? lists.take(engine::Mode::kOr) : std::nullopt;
  if (std::holds_alternative<TermNode>(query.root.what))
    return add(query.root) ? lists.take(engine::Mode::kOr) : std::nullopt;
  const auto required = required_query(query.root);
  if (!required || !lists.add_all(required->required, TermRole::kRequired) ||
      !lists.add_all(required->excluded, TermRole::kExcluded) ||
      !lists.add_all(required->optional, TermRole::kOptional) ||
      (required->phrase != nullptr && !lists.add_phrase(*required->phrase)))
    return std::nullopt;
  return lists.take(engine::Mode::kAnd);
}

}  // namespace frond::leaf::clauses
