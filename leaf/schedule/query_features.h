#pragma once
// What is known of a query before it is evaluated, over all partitions of the leaf that it searches. From this the cost
// model predicts how long the query takes on each processor. Ding et al. 2009, 9, use the shortest list, the second
// shortest, the sum of the lists and the number of terms.
#include <algorithm>
#include <cstdint>

#include "leaf/engine/plan.h"

namespace frond::leaf::schedule {

struct QueryFeatures {
  engine::Mode mode = engine::Mode::kOr;
  bool ranked = true;
  std::uint32_t k = 10;           // hits wanted
  std::uint32_t partitions = 1;   // searched
  std::uint64_t documents = 0;    // of these partitions
  std::uint32_t terms = 0;        // with a list
  std::uint64_t postings = 0;     // of all lists
  std::uint64_t blocks = 0;       // of all lists
  std::uint64_t shortest = 0;     // postings of the shortest list; 0: there is no list
  std::uint64_t second = 0;       // of the second shortest; 0: there are fewer than two lists
  std::uint64_t longest = 0;      // of the longest
  double share_of_documents = 1;  // that match AND if the lists were independent of each other, 0 .. 1

  // Adds a term's list. `list_postings`, `list_blocks`: summed over the partitions. Set `documents` before.
  void add_list(std::uint64_t list_postings, std::uint64_t list_blocks) {
    if (terms == 0 || list_postings < shortest) {
      second = shortest;
      shortest = list_postings;
    } else if (terms == 1 || list_postings < second) {
      second = list_postings;
    }
    longest = std::max(longest, list_postings);
    postings += list_postings;
    blocks += list_blocks;
    ++terms;
    if (list_postings < documents)
      share_of_documents *= static_cast<double>(list_postings) / static_cast<double>(documents);
  }
  // Documents that match AND if the lists were independent of each other.
  double expected_matches() const { return terms == 0 ? 0 : share_of_documents * static_cast<double>(documents); }
};

}  // namespace frond::leaf::schedule
