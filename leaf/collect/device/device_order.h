#pragma once
// An order by columns and scores that a device finds the first hits of (engine/code_order.h): what it is given of a
// partition's columns, and the values of the hits that it has found.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/placement.h"
#include "common/query/sort_order.h"
#include "common/schema/schema.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/facets/facet_counters.h"
#include "leaf/collect/keyword_cache.h"
#include "leaf/collect/sort_place.h"
#include "leaf/engine/plan.h"

namespace frond::leaf::collect {

// One thread at a time. Borrows the order and the columns.
class DeviceOrder {
 public:
  // What is the same for all partitions, and what is of the partition: its number is ListKey::partition, and none of
  // its documents has a score above most_score.
  struct Source {
    const query::SortOrder& sort;
    const std::optional<query::SortPosition>& after;  // only hits behind it
    const schema::Schema& schema;
    KeywordCache& keywords;
    const Deadline& deadline;
    const Clock& clock;
  };
  // Nothing: the CPU must find the hits, because keys have more than 64 bits together, because keywords are too many or
  // not numbered in time, or because `after` is no place in this order.
  static std::optional<DeviceOrder> make(const Source& source, const clauses::SearchedPartition& searched,
                                         std::uint64_t partition, const Placement& placement,
                                         scoring::Score most_score);
  // For Plan::order.
  const engine::CodeOrder& order() const { return order_; }
  // Of each hit. Hits behind the one with which they have more than max_bytes are dropped, as SortCollector does.
  std::vector<std::string> sort_bytes(std::size_t max_bytes, std::vector<topk::Hit>& hits);

 private:
  // A key, with codes if it is a column of which a document of the partition has a value.
  struct Placed {
    PlacedKey key;
    const partition::ValueColumn* column = nullptr;
    KeywordCache::Numbers words{};  // of a column of keywords
    std::uint64_t base = 0;         // of others: the value of code 1
    std::uint32_t bits = 0;         // of the documents' keys
  };
  // How many of the column's codes are of values less than the value, and whether it has a code itself.
  struct Rank {
    std::uint64_t less = 0;
    bool is_there = false;
  };

  explicit DeviceOrder(const Placement& placement) : placement_(placement) {}
  bool add_key(const query::SortKey& key, const Source& source, const clauses::SearchedPartition& searched,
               std::uint64_t partition, scoring::Score most_score);
  bool go_on_behind(const query::SortPosition& position, const query::SortOrder& sort, const schema::Schema& schema);
  bool begin_at(std::uint64_t first_parts, std::uint32_t bits, bool behind);
  bool begin_behind(Ordinal ordinal, std::uint64_t key);
  static Rank rank_of(const Placed& placed, std::uint64_t values, const schema::Value& value);

  Placement placement_;
  std::vector<Placed> placed_;
  engine::CodeOrder order_;
};

}  // namespace frond::leaf::collect
