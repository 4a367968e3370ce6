#pragma once
// Clauses that are lists of terms after all: any or all of some, or those that a document must have, may have and must
// not have, and perhaps a phrase, each of all text or of a field. The engines of plain words answer the first, an
// accelerator all of them, with the same hits.
#include <optional>
#include <vector>

#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::clauses {

struct FlatQuery {
  struct Term {
    float weight = 0;  // 0: only the phrase asks for it, or documents must not have it
    engine::TermRole role = engine::TermRole::kRequired;  // of kOr also that of terms of which `minimum` are required
    query::Factor factor{};
  };
  engine::Mode mode = engine::Mode::kOr;
  std::vector<Term> terms;             // by ListNumber: of all lists of the query
  std::size_t minimum = 0;             // of kOr's terms, 1 for any of them; of kAnd's optional ones
  const PhraseNode* phrase = nullptr;  // exact
  query::Factor phrase_factor{};
  bool is_words = false;  // any or all of the terms, and no more
};

// Empty: the tree is of another form. Borrows its phrase.
std::optional<FlatQuery> flat_query(const ResolvedQuery& query);

}  // namespace frond::leaf::clauses
