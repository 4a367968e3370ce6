#pragma once
// Which terms documents have, from the lists of their partition: for documents whose text does not tell.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/published_partition.h"
#include "indexer/change/term_counts.h"

namespace frond::indexer::change {

// Looks for the documents, which ascend, in every list, and adds their terms to `counts`. Gives how many postings they
// have. kCorrupt: a list does not decode, or the documents do not have as many tokens there as their lengths say.
Result<std::uint64_t> count_in_all_lists(const partition::PublishedPartition& partition, std::span<const DocId> docids,
                                         TermCounts& counts);

// Compares what texts say with the lists of these terms: for partitions without term digests.
class ListComparison {
 public:
  explicit ListComparison(const partition::PublishedPartition& partition) : partition_(partition) {}
  // A term of a document, as its text says.
  void add(std::string_view term, DocId docid, Frequency frequency);
  std::size_t bytes() const { return bytes_; }  // of what was added
  // Adds to `counts` the terms of documents that have all of them in the lists, with the same frequencies, appends the
  // others to `differing`, ascending, and forgets all. Gives the postings of the former.
  Result<std::uint64_t> count(TermCounts& counts, std::vector<DocId>& differing);

 private:
  struct Use {
    std::string term;
    DocId docid = 0;
    Frequency frequency = 0;
  };
  const partition::PublishedPartition& partition_;
  std::vector<Use> uses_;
  std::size_t bytes_ = 0;
};

}  // namespace frond::indexer::change
