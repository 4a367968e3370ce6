#pragma once
// What documents that are hidden take from a generation's statistics: which terms they have. A partition has lists by
// term and no index from documents to terms, so their stored fields are analysed again, and what comes out is compared
// with the lists: each term's posting must have the same frequency, and the frequencies must sum to the document's
// length. A document has no other postings then, since all of them sum to its length. So the outcome is that of the
// lists, whatever the fields or the analyzer say. Documents for which it does not agree (bodies that were not stored)
// are looked for in every list of the partition.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/published_partition.h"
#include "common/text/analyzer_config.h"

namespace frond::indexer::change {

struct RemovedTerms {
  std::map<std::string, std::uint64_t, std::less<>> documents;  // by term: how many of them have it
  std::uint64_t tokens = 0, postings = 0;
};

inline constexpr std::size_t kHeldTermBytes = std::size_t{48} << 20;  // of terms held, from which a batch ends

// Whether so many documents are so large a part of a partition that all its lists are read, rather than the documents'.
bool reads_all_lists(std::size_t docids, std::size_t documents);

// docids: ascending, of the partition. Memory: the terms, and a third more than `held`. Time and reads are in
// proportion to `docids` where fields are stored; where they are not, or `docids` is more than a sixteenth of a
// partition, it is that of reading all lists. kCorrupt: a list or a document does not decode, or the lists do not have
// as many tokens as the lengths say.
Result<RemovedTerms> removed_terms(const partition::PublishedPartition& partition, std::span<const DocId> docids,
                                   const text::AnalyzerConfig& analyzer, std::size_t held = kHeldTermBytes);

}  // namespace frond::indexer::change
