#pragma once
// Queries and the lengths of their lists, after what a profile's papers say of the query log. No documents yet.
//
// Queries share terms as in a real log: there are few long lists. In the TREC 2005 Terabyte log over 436,471 passages
// of Wikipedia, nine terms are in more than six documents in ten, and for each halving of the length there are twice as
// many terms (Zipf). Drawn lengths are grouped accordingly. A group becomes one list, of its draws' mean length, so
// that queries have as many postings as the profile says.
#include <cstdint>
#include <vector>

#include "tools/synth/profile.h"

namespace frond::tools::synth {

struct QuerySet {
  std::vector<std::uint32_t> list_lengths;          // postings of list i, 1 .. documents; descending
  std::vector<std::vector<std::uint32_t>> queries;  // distinct lists each, in no order
  double postings_a_query() const;
};

// `count` queries on a collection of so many documents (0: the profile's). Equal arguments give equal queries.
QuerySet draw_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed);

}  // namespace frond::tools::synth
