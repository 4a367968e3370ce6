#pragma once
// Clauses that are lists of terms after all: any or all of some, or those that a document must have, may have and must
// not have, and perhaps a phrase; of the whole text, with nothing to multiply their scores. The engines of plain words
// answer the first, an accelerator all of them, with the same hits.
#include <optional>
#include <vector>

#include "leaf/clauses/resolved_query.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::clauses {

struct FlatQuery {
  engine::Mode mode = engine::Mode::kOr;
  std::vector<float> weights;           // by ListNumber: of all lists of the query; 0: only the phrase asks for it
  std::vector<engine::TermRole> roles;  // likewise; of kOr all are kRequired, which says nothing
  const PhraseNode* phrase = nullptr;   // exact
  bool is_words = false;                // any or all of the terms, and no more
};

// Empty: the tree is of another form. Borrows its phrase.
std::optional<FlatQuery> flat_query(const ResolvedQuery& query);

}  // namespace frond::leaf::clauses
