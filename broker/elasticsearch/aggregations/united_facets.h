#pragma once
// What a search of several indices counts: the counts of each index as those of one. An index may lack fields; where
// one is a column in two of them, it has the same type. Used on one loop's thread.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "broker/cluster/timer_queue.h"
#include "broker/elasticsearch/aggregations/aggregations.h"
#include "broker/elasticsearch/error.h"
#include "broker/merge/merge.h"

namespace frond::broker::elasticsearch {

struct IndexCounts {
  std::string index;
  std::uint64_t documents = 0;  // that match, all of them
  merge::CountedFacets counted;
};

class UnitedFacets {
 public:
  // Null before each turn, which false ends; then once the facets, as an answer of one index has them, or an error.
  using Told = std::function<bool(Expected<Json>)>;

  bool empty() const { return kept_[0].empty() && kept_[1].empty(); }
  // Of one search of an index: of the query, or of everything in the index. 501: it is too much, with what there is.
  Expected<void> keep(IndexCounts counts, bool everywhere);
  // Adds up what is kept, some in each turn of the loop. `all`: every index with the number of documents that match: it
  // is what an index counts that has none of the fields. `filtered`: these numbers are of fewer documents than are
  // counted (post_filter), so that such an index is refused. 501: the same facet counts a field of two types, or has
  // facets in its buckets of which no index has all fields; the message names the field or the facet, and the index.
  // 500: what was thrown. May tell the end before it returns.
  void add_up(cluster::TimerQueue& timers, std::vector<IndexCounts> all, bool filtered, Told told);

 private:
  std::array<std::vector<IndexCounts>, 2> kept_;  // of the query, of everything
  std::size_t bytes_ = 0;
};

// Of the aggregations of a request, which each index has read for itself, those that show what is counted: each from
// the index that has most of its fields. `indices`: at least one.
std::vector<Aggregation> most_mapped(std::vector<std::vector<Aggregation>> indices);

}  // namespace frond::broker::elasticsearch
