#pragma once
// Trees of terms that a document must have, may have and must not have, and perhaps a phrase that it must have.
#include <optional>
#include <vector>

#include "leaf/clauses/resolve/resolved_query.h"

namespace frond::leaf::clauses {

struct RequiredQuery {
  std::vector<const Node*> required, optional, excluded;  // terms
  const Node* phrase = nullptr;                           // of words with one list each; required, too
  std::size_t minimum = 0;                                // of the optional ones

  // Whether all matches have some term, or the words of the phrase, and no need of others.
  bool is_led() const { return minimum == 0 && (!required.empty() || phrase != nullptr); }
};

// Empty: the tree is of another form. Borrows its nodes.
std::optional<RequiredQuery> required_query(const Node& root);

}  // namespace frond::leaf::clauses
