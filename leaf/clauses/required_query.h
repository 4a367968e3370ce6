#pragma once
// Trees in which a document must have some terms, or the words of a phrase.
#include <optional>
#include <vector>

#include "leaf/clauses/resolved_query.h"

namespace frond::leaf::clauses {

struct RequiredQuery {
  std::vector<const Node*> required, optional, excluded;  // terms
  const Node* phrase = nullptr;                           // of words with one list each; required, too
};

// Empty: the tree is of another form. Borrows its nodes.
std::optional<RequiredQuery> required_query(const Node& root);

}  // namespace frond::leaf::clauses
