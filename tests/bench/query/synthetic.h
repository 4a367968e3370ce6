#pragma once
// A collection like passages of an encyclopedia: Zipf document frequencies, frequencies that are mostly 1, lengths
// about a hundred tokens, and topics (runs of documents where a term is denser), so that lists of a query have
// documents in common; and queries of 1 to 6 terms, 2.8 on average.
#include <vector>

#include "tests/support/collections/random_collection.h"

namespace frond::bench {

support::Collection synthetic_collection(std::uint64_t seed, std::uint32_t documents, std::uint64_t postings);
std::vector<std::vector<support::TermNumber>> synthetic_queries(std::uint64_t seed,
                                                                const support::Collection& collection,
                                                                std::size_t count);

}  // namespace frond::bench
