#pragma once
// Queries and the lengths of their lists, as a profile's papers describe the query log. There are no documents yet.
//
// Queries share terms as in a real log: there are few long lists. In the TREC 2005 Terabyte log over 436,471 passages
// of Wikipedia, nine terms are in more than six documents in ten, and each halving of the length has twice as many
// terms (Zipf). Drawn lengths are grouped accordingly. A group becomes one list with the mean length of its draws, so
// that queries have as many postings as the profile says.
#include <cstdint>
#include <span>
#include <vector>

#include "tools/synth/profile.h"
#include "tools/synth/random.h"

namespace frond::tools::synth {

struct QuerySet {
  std::vector<std::uint32_t> list_lengths;          // postings of list i, 1 .. documents; descending
  std::vector<std::vector<std::uint32_t>> queries;  // distinct lists each, in any order
  std::vector<std::vector<std::uint32_t>> weights;  // of impacts: the same of each list's weight in 1/256, at least 1
  double postings_a_query() const;
};

// `count` queries on a collection of `documents` documents (0: the profile's number). Equal arguments give equal
// queries. With Profile::impacts the lists are the vocabulary's (impact_queries.h).
QuerySet draw_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed);

// One of a profile's kinds, by their weights.
const QueryKind& any_kind(std::span<const QueryKind> kinds, Random& random);

}  // namespace frond::tools::synth
