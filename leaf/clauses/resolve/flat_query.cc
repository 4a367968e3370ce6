#include "leaf/clauses/resolve/flat_query.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "leaf/clauses/required/required_query.h"

namespace frond::leaf::clauses {
namespace {

using engine::TermRole;

// The terms of a tree, as lists.
class FlatLists {
 public:
  explicit FlatLists(const ResolvedQuery& query) : query_(query), known_(query.lists.size()) {
    flat_.terms.resize(query.lists.size());
  }
  // False: it is none, or is there twice.
  bool add(const Node& node, TermRole role) {
    const auto* const term = std::get_if<TermNode>(&node.what);
    if (term == nullptr || known_[term->list]) return false;
    known_[term->list] = true;
    if (role == TermRole::kExcluded)
      flat_.terms[term->list] = {0, role, {}};
    else
      flat_.terms[term->list] = {term->weight, role, node.boost};
    flat_.is_words = flat_.is_words && role == TermRole::kRequired && node.boost == query::Factor() &&
                     query_.lists[term->list].field == kAllText;
    return true;
  }
  // After all terms. False: it is not exact, or has an excluded word.
  bool add_phrase(const Node& node) {
    const auto& phrase = std::get<PhraseNode>(node.what);
    if (phrase.slop != 0) return false;
    for (const PhraseNode::Word& word : phrase.words) {
      const ListNumber list = word.lists.front();
      if (flat_.terms[list].role == TermRole::kExcluded) return false;
      met_ += flat_.terms[list].role == TermRole::kOptional;
      flat_.terms[list].role = TermRole::kRequired;
      known_[list] = true;
    }
    flat_.phrase = &phrase;
    flat_.phrase_factor = node.boost;
    flat_.is_words = false;
    return true;
  }
  std::optional<FlatQuery> take(engine::Mode mode, std::size_t minimum) {
    flat_.mode = mode;
    flat_.minimum = minimum - std::min(minimum, met_);
    flat_.is_words = flat_.is_words && minimum == (mode == engine::Mode::kOr ? 1 : 0);
    if (!std::ranges::all_of(known_, [](bool known) { return known; })) return std::nullopt;
    return std::move(flat_);
  }
  bool add_all(const std::vector<const Node*>& nodes, TermRole role) {
    return std::ranges::all_of(nodes, [&](const Node* node) { return add(*node, role); });
  }

 private:
  const ResolvedQuery& query_;
  FlatQuery flat_{.is_words = true};
  std::vector<bool> known_;
  std::size_t met_ = 0;  // optional terms that all matches have
};

}  // namespace

std::optional<FlatQuery> flat_query(const ResolvedQuery& query) {
  FlatLists lists(query);
  if (std::holds_alternative<TermNode>(query.root.what)) {
    lists.add(query.root, TermRole::kRequired);
    return lists.take(engine::Mode::kOr, 1);
  }
  const auto tree = required_query(query.root);
  if (!tree) return std::nullopt;
  const bool any = tree->required.empty() && tree->phrase == nullptr;
  if (!lists.add_all(tree->required, TermRole::kRequired) || !lists.add_all(tree->excluded, TermRole::kExcluded) ||
      !lists.add_all(tree->optional, any ? TermRole::kRequired : TermRole::kOptional) ||
      (tree->phrase != nullptr && !lists.add_phrase(*tree->phrase)))
    return std::nullopt;
  return lists.take(any ? engine::Mode::kOr : engine::Mode::kAnd, tree->minimum);
}

}  // namespace frond::leaf::clauses
