#pragma once
// Queries and the lengths of the lists that they ask for: what a profile's papers say of its query log, without a
// document yet.
//
// Terms are shared between queries as in a real log: pools are small where lists are long. In the TREC 2005 Terabyte
// log over 436,471 passages of Wikipedia, nine terms have more than six documents in ten, and twice as many terms are
// there for each halving of the length (Zipf). Draws are grouped by length accordingly; a group is a list, as long as
// its draws are on average, so that the postings a query has are those of the profile.
#include <cstdint>
#include <vector>

#include "tools/synth/profile.h"

namespace frond::tools::synth {

struct QuerySet {
  std::vector<std::uint32_t> list_lengths;          // postings that list i is to have, 1 .. documents; descending
  std::vector<std::vector<std::uint32_t>> queries;  // distinct lists each, in no order
  double postings_a_query() const;
};

// `count` queries on a collection of so many documents (0: the profile's). The same for the same arguments.
QuerySet draw_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed);

}  // namespace frond::tools::synth
