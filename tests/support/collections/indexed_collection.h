#pragma once
// A collection indexed in memory: its documents assigned round-robin to P partitions (base p, stride P), every term's
// list built with the real builder; and plans for queries on it, with the statistics of the whole collection.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/placement.h"
#include "leaf/engine/plan.h"
#include "tests/support/collections/random_collection.h"

namespace frond::support {

struct IndexOptions {
  std::uint32_t partitions = 1;
  std::string_view codec;        // as --codec names it; empty: the default
  scoring::Bm25Parameters bm25;  // of the build, and of the queries until set_asked()
  // What the lists' deficits are computed with; 0: the collection's own average length.
  double built_average_length = 0;
};

struct IndexedPartition {
  std::vector<std::uint32_t> lengths;         // by docID
  std::vector<leaf::lists::ListLease> lists;  // by term; empty where the partition lacks it
  std::uint64_t number = 0;                   // ListKey::partition of its lists, unique in the process
  Placement placement;
  std::shared_ptr<const partition::DocumentPriors> priors;   // null: none
  std::shared_ptr<const partition::HiddenDocuments> hidden;  // null: none
};

// The hidden documents of each partition, as a generation has them; null: none.
using HiddenParts = std::vector<std::shared_ptr<const partition::HiddenDocuments>>;

class IndexedCollection {
 public:
  IndexedCollection(const Collection& collection, const IndexOptions& options);

  const std::vector<IndexedPartition>& partitions() const { return partitions_; }
  const scoring::CollectionStatistics& statistics() const { return statistics_; }
  // Gives the documents static priors, by their numbers in the collection; queries weigh them.
  void set_priors(std::span<const scoring::Prior> priors, scoring::PriorWeight weight);
  // Of documents that are hidden by their numbers in the collection.
  HiddenParts hidden_parts(const std::vector<bool>& hidden) const;
  // Plans from now on pass over these. They live as long as the plans.
  void set_hidden(const HiddenParts& parts);
  // Pretends that a later generation has these statistics; document frequencies grow in proportion.
  void set_statistics(const scoring::CollectionStatistics& statistics) { statistics_ = statistics; }
  // Parameters of the queries, if not those that the lists were built with.
  void set_asked(const scoring::Bm25Parameters& asked) { asked_ = asked; }

  // Unknown terms: left out for kOr, an empty list for kAnd. The collection outlives the plan.
  leaf::engine::Plan plan(std::size_t partition, std::span<const TermNumber> query, leaf::engine::Mode mode,
                          std::uint32_t k, leaf::engine::SharedFloor* floor = nullptr) const;

 private:
  IndexOptions options_;
  scoring::Bm25Parameters asked_;
  scoring::PriorWeight prior_weight_ = scoring::kUsualPriorWeight;
  scoring::CollectionStatistics statistics_;
  std::uint64_t built_documents_ = 0;
  std::vector<std::uint64_t> document_frequencies_;
  std::vector<IndexedPartition> partitions_;
};

// A k1 and b for a query, often at the ends of their ranges.
inline scoring::Bm25Parameters random_bm25(Random& random) {
  const auto part = [&](std::uint32_t steps) {
    const std::uint32_t drawn = random.below(steps + steps / 2 + 1);
    return drawn > steps ? (drawn % 2 ? 0.0 : 1.0) : static_cast<double>(drawn) / steps;
  };
  const double k1 = double{scoring::kMaxK1} * part(40);
  return {k1, part(20)};
}

// Priors of so many documents: most are small, few are large, some are 0 and some the highest.
inline std::vector<scoring::Prior> random_priors(Random& random, std::size_t documents) {
  std::vector<scoring::Prior> priors(documents);
  for (auto& prior : priors) {
    const std::uint64_t kind = random.below(1000);
    prior = kind < 300   ? 0
            : kind < 999 ? static_cast<scoring::Prior>(random.below(std::uint64_t{1} << (1 + random.below(20))))
                         : static_cast<scoring::Prior>(random.below(scoring::kMaxPrior + 1));
  }
  return priors;
}

// Which of so many documents are hidden: none, few, many or nearly all of them, or most at the begin, which are those
// that are replaced.
inline std::vector<bool> random_hidden(Random& random, std::size_t documents) {
  const std::uint64_t of_thousand[] = {0, 10, 100, 500, 990};
  const std::uint64_t kind = random.below(6), begin = kind == 5 ? documents / (1 + random.below(4)) : 0;
  std::vector<bool> hidden(documents);
  for (std::size_t i = 0; i < documents; ++i)
    hidden[i] = random.below(1000) < (kind < 5 ? of_thousand[kind] : i < begin ? 950 : 5);
  return hidden;
}

}  // namespace frond::support
