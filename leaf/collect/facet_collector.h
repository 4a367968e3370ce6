#pragma once
// Counts the facets of a search over the matches of a partition, a window at a time.
#include <cstddef>
#include <memory>
#include <vector>

#include "common/base/deadline.h"
#include "common/schema/schema.h"
#include "leaf/clauses/collector.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/facet_counters.h"

namespace frond::leaf::collect {

class FacetCollector final : public clauses::Collector {
 public:
  // Borrows all. kInvalid: the counters of all facets would take more than kMostBytes, or the keywords of one more than
  // the cache gives a column; kDeadline.
  static Result<FacetCollector> make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                     const clauses::ClausePlan& plan, KeywordCache& keywords, const FacetRoom& room,
                                     const Clock& clock);

  std::uint64_t narrow(DocId, Bits&) override { return 0; }
  Result<void> take(DocId first, const Bits& documents, clauses::Matcher& root) override;
  bool counts_rest() override;
  // By facet. kInvalid: there is not room for all.
  Result<std::vector<query::FacetCounts>> finish();

 private:
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;
  struct Counted {
    const query::Facet* facet = nullptr;
    const partition::ValueColumn* column = nullptr;  // null: no document has a value, and there is no counter
    std::unique_ptr<FacetCounter> counter;
    query::FacetCounts counts;
    std::uint64_t with_value = 0;  // documents of the partition, if the rest is counted
  };
  FacetCollector(std::size_t documents, const FacetRoom& room) : documents_(documents), room_(room) {}

  const std::size_t documents_;  // of the partition
  FacetRoom room_;
  bool is_rest_ = false;
  std::vector<Counted> facets_;
};

}  // namespace frond::leaf::collect
