#pragma once
// The terms of a query that a generation has, with their weights there.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"
#include "leaf/serve/term_table.h"

namespace frond::leaf::serve {

struct KnownTerms {
  // A distinct term that occurs in at least one document of the generation.
  struct Term {
    std::shared_ptr<const KnownTerm> term;
    float weight = 0;  // scoring::term_weight, including the query frequency
  };
  std::vector<Term> terms;     // in the query's order; equal terms are merged
  bool all_known = true;       // every term of the query occurs in a document
  std::uint64_t postings = 0;  // of all `terms`, in all partitions of the generation
};

// The weights are those for `bm25`. May read the disk. `table` may be null. kCorrupt, kUnavailable: from reading the
// generation's term statistics.
Result<KnownTerms> look_up(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                           std::span<const wire::QueryTerm> terms, TermTable* table);

}  // namespace frond::leaf::serve
