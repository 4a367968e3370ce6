#pragma once
// Ascending docIDs generated from a seed, spread evenly or in clusters, and the expected results of set operations on
// them.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "tests/support/collections/random_collection.h"

namespace frond::support {

// `count` of the docIDs below `documents`; all such sets are equally probable. (Selection sampling: Knuth, The Art of
// Computer Programming 2, 3.4.2, algorithm S.)
inline std::vector<DocId> uniform_docids(Random& random, std::uint32_t count, std::uint32_t documents) {
  std::vector<DocId> docids;
  for (DocId docid = 0; docids.size() < count && docid < documents; ++docid)
    if (random.below(documents - docid) < count - docids.size()) docids.push_back(docid);
  return docids;
}

// The same number in runs: most gaps are 1, some are long.
inline std::vector<DocId> clustered_docids(Random& random, std::uint32_t count, std::uint32_t documents) {
  std::vector<DocId> docids;
  DocId docid = 0;
  for (std::uint32_t spare = documents - std::min(count, documents); docids.size() < count && docid < documents;) {
    if (spare > 0 && random.below(20) == 0) {
      const auto skipped = static_cast<std::uint32_t>(random.below(std::min(spare, 40 * (documents / count + 1)) + 1));
      spare -= skipped;
      docid += skipped;
    }
    docids.push_back(docid++);
  }
  return docids;
}

inline std::vector<DocId> intersection_of(std::span<const std::vector<DocId>* const> lists) {
  std::vector<DocId> left = *lists[0];
  for (const auto* list : lists.subspan(1)) {
    std::vector<DocId> both;
    std::set_intersection(left.begin(), left.end(), list->begin(), list->end(), std::back_inserter(both));
    left = std::move(both);
  }
  return left;
}

}  // namespace frond::support
