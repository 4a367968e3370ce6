#pragma once
// What documents that are hidden take from a generation's statistics: which terms they have. A partition has lists by
// term and no index from documents to terms, so their stored fields are analysed again, and it is verified that the
// lists say the same: by the document's term digest (common/partition/terms/term_digests.h), or, in a partition without
// digests, by comparing each term's posting. So the outcome is that of the lists, whatever the fields or the analyzer
// say. Documents for which it does not agree (bodies that were not stored) are looked for in every list of the
// partition.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/published_partition.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/text/analyzer.h"
#include "indexer/change/term_counts.h"

namespace frond::indexer::change {

// Of terms held, from which a batch ends, or a run of terms goes to disk.
inline constexpr std::size_t kHeldTermBytes = std::size_t{16} << 20;

// Whether so many documents are so large a part of a partition that all its lists are read, rather than the documents'.
bool reads_all_lists(std::size_t docids, std::size_t documents);

// How to verify what a text says. kLists is what is done without digests; the outcome is the same.
enum class Verification : std::uint8_t { kDigests, kLists };

// One thread.
class RemovedTerms {
 public:
  // `scratch`: a folder for terms beyond `held` bytes (TermCounts); empty: all of them are in memory.
  explicit RemovedTerms(const text::AnalyzerConfig& analyzer, const std::filesystem::path& scratch = {},
                        std::size_t held = kHeldTermBytes, Verification verification = Verification::kDigests)
      : analyzer_(analyzer),
        max_held_bytes_(held),
        verification_(verification),
        terms_(scratch.empty() ? TermCounts() : TermCounts(scratch, held)) {}

  struct Counts {
    std::uint64_t tokens = 0, postings = 0;
  };
  // Adds the terms of documents, ascending, of a partition. Memory: TermCounts'; without digests also a third more than
  // `held`. Time and reads are in proportion to `docids` where fields are stored; where they are not, or `docids` is
  // more than a sixteenth of a partition, it is that of reading all lists. kCorrupt: a list or a document does not
  // decode, or the lists do not have as many tokens as the lengths say; kUnavailable: TermCounts::outcome(). Not used
  // after an error.
  Result<Counts> add(const partition::PublishedPartition& partition, std::span<const DocId> docids);

  // The same, of a partition whose files lie elsewhere, for those documents whose text and digest tell: no list is
  // read. Appends the others to `unknown`, ascending; all, if the partition has no digests.
  Result<Counts> add_told(partition::RangedPartition& partition, std::span<const DocId> docids,
                          std::vector<DocId>& unknown);

  // Adds what others were added to.
  void add_all(RemovedTerms&& others) { terms_.add_all(std::move(others.terms_)); }
  const TermCounts& documents() const { return terms_; }  // how many of all documents added have each term
  std::size_t held() const { return max_held_bytes_; }
  TermCounts take_documents() { return std::move(terms_); }

 private:
  class Partition;
  // Counts the document's terms if its text has this length and this digest: gives how many terms. Nothing: it has not.
  std::optional<std::uint64_t> count(const partition::StoredDocument& document, std::uint64_t length,
                                     std::optional<std::uint64_t> digest);
  text::Analyzer analyzer_;
  const std::size_t max_held_bytes_;
  const Verification verification_;
  TermCounts terms_;
};

}  // namespace frond::indexer::change
