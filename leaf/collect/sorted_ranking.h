#pragma once
// The first hits of a search with an order, put together from those of its partitions as they come, in bounded memory.
// Whether the search is refused depends on its first hits alone, not on the order in which partitions come.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/topk/hit.h"

namespace frond::leaf::collect {

// Hits, and SortBytes of each, whose order is theirs; equal ones by ordinal.
struct SortedHits {
  std::vector<topk::Hit> hits;
  std::vector<std::string> sort_bytes;
};

// One thread.
class SortedRanking {
 public:
  // The first `depth` hits; their sort bytes may be max_bytes together.
  SortedRanking(std::size_t depth, std::size_t max_bytes) : depth_(depth), max_bytes_(max_bytes) {}

  // Hits of documents that are not here yet, in their order: the first `depth`, or so many of them that they have more
  // than max_bytes. Moves their bytes.
  void add(SortedHits more);
  // At most max_bytes and the bytes of one hit.
  std::size_t bytes() const { return bytes_; }
  void clear() { *this = SortedRanking(depth_, max_bytes_); }
  // Once, last. kInvalid: the first `depth` hits have more than max_bytes.
  Result<SortedHits> take();

 private:
  std::size_t depth_, max_bytes_;
  SortedHits first_;
  std::size_t bytes_ = 0;
};

}  // namespace frond::leaf::collect
