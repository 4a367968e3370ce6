#pragma once
// How much work a query is, told from its tree and from document frequencies, before any list is read.
#include <cstdint>

#include "leaf/clauses/resolve/resolved_query.h"

namespace frond::leaf::clauses {

// Over the whole generation, at most: evaluations pass over much of it.
struct Work {
  std::uint64_t postings = 0;  // of the lists, each as often as the tree has it
  std::uint64_t values = 0;    // of columns that are looked at, one for each document
  std::uint64_t matches = 0;   // documents
};
Work work_of(const ResolvedQuery& query);

}  // namespace frond::leaf::clauses
