#pragma once
// Which of a query's terms a generation has, and what they weigh there.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"

namespace frond::leaf::serve {

struct KnownTerms {
  // A distinct term that some document of the generation has.
  struct Term {
    std::string text;
    float weight = 0;  // scoring::term_weight, with the query frequency in it
  };
  std::vector<Term> terms;     // in the query's order; equal ones are counted together
  bool all_known = true;       // every term of the query has a document
  std::uint64_t postings = 0;  // of all of these, in all partitions of the generation
};

// May read the disk. kCorrupt, kUnavailable: the generation's term statistics.
Result<KnownTerms> look_up(const generation::ServedGeneration& generation, std::span<const wire::QueryTerm> terms);

}  // namespace frond::leaf::serve
