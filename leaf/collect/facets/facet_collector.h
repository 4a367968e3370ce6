#pragma once
// Counts the facets of a search, and those in them, over the matches of a partition, a window at a time. A facet by
// itself is counted from the bits of the window; one with others in it hands on each document with each bucket that it
// is in, as rows.
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/schema/schema.h"
#include "leaf/clauses/collector.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/collect/facets/facet_counters.h"

namespace frond::leaf::collect {

// By query::cache_key() of each clause of the facets: the documents of a partition that do not match it.
using FacetClauses = std::map<std::string, std::shared_ptr<const partition::HiddenDocuments>>;

class FacetCollector final : public clauses::Collector {
 public:
  // Borrows all. kInvalid: the counters of all facets would take more than kMaxCountingBytes, or the keywords of one
  // more than the cache gives a column; kDeadline, as later of take().
  static Result<FacetCollector> make(const std::vector<query::Facet>& facets, const schema::Schema& schema,
                                     const clauses::ClausePlan& plan, const FacetClauses& clauses,
                                     KeywordCache& keywords, const FacetRoom& room, const Clock& clock);

  std::uint64_t narrow(DocId, Bits&) override { return 0; }
  Result<void> take(DocId first, const Bits& documents, clauses::Matcher& root) override;
  bool counts_rest() override;
  // By facet. kInvalid: there is not room for all.
  Result<std::vector<query::FacetCounts>> finish();

 private:
  struct Documents {
    std::uint32_t with_value = 0, missing = 0;
  };
  struct Counted {
    const query::Facet* facet = nullptr;
    bool alone = false;                              // in no other one, and without others in it
    const partition::ValueColumn* column = nullptr;  // null: no document has a value, or there is no field
    std::unique_ptr<FacetCounter> counter;           // null: there is nothing to count by
    std::vector<Documents> documents;                // by slot around
    std::uint32_t with_value = 0;                    // documents of the partition, if the rest is counted
    std::vector<Counted> inside;
    std::vector<Row> rows, into;  // of a window
  };
  struct Making;
  FacetCollector(std::size_t documents, const FacetRoom& room, const Deadline& deadline, const Clock& clock)
      : documents_(documents), deadline_(deadline), clock_(&clock), room_(room) {}
  static Result<Counted> counted(const query::Facet& facet, bool alone, const Making& making);
  Result<void> take_alone(Counted& one, DocId first, const Bits& documents, std::uint32_t all) const;
  Result<void> take_rows(Counted& one, std::uint32_t number, std::span<const Row> rows) const;
  Result<void> check_bytes() const;
  static std::size_t bytes_of(const Counted& one);
  Result<std::vector<query::FacetCounts>> finish(Counted& one, std::size_t around);

  const std::size_t documents_;  // of the partition
  const Deadline deadline_;
  const Clock* const clock_;
  FacetRoom room_;
  bool is_rest_ = false;
  std::vector<Counted> facets_;
  std::vector<Row> rows_;  // of a window: all matches
};

}  // namespace frond::leaf::collect
