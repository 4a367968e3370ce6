#pragma once
// Hidden documents: taken out of selections, and counted in lists whose length is the number of matches.
#include <cstdint>

#include "common/partition/documents/hidden_documents.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// Drops hidden documents; returns how many are left.
std::size_t drop_hidden(const partition::HiddenDocuments& hidden, Selection documents, std::size_t count);

// How many hidden documents the term's list has. Decodes the blocks that may hold some: all of the list at most. Moves
// the reader; a block that does not decode makes it corrupt().
std::uint64_t hidden_postings(TermReader& term, const partition::HiddenDocuments& hidden);

// The documents of the whole list that are not hidden.
inline std::uint64_t postings_left(TermReader& term, const partition::HiddenDocuments* hidden) {
  return term.list().count() - (hidden == nullptr ? 0 : hidden_postings(term, *hidden));
}

}  // namespace frond::leaf::cpu
