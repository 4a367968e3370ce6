#pragma once
// What documents that are hidden take from a generation's statistics: which terms they have. A partition has lists by
// term and no index from documents to terms, so their stored fields are analysed again, and it is verified that the
// lists say the same: by the document's term digest (common/partition/terms/term_digests.h). So the outcome is that of
// the lists, whatever the fields or the analyzer say. Documents for which it does not agree (bodies that were not
// stored, or end with texts of other fields of a schema), and all of a partition without digests, are looked for in
// every list of the partition.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/published_partition.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/schema/schema.h"
#include "common/text/analyzer_config.h"
#include "indexer/change/current_generation.h"
#include "indexer/change/term_counts.h"
#include "indexer/parse/document_tokens.h"

namespace frond::indexer::change {

// Of terms held in memory, beyond which a run of terms goes to disk.
inline constexpr std::size_t kHeldTermBytes = std::size_t{16} << 20;

// Looks for the documents, which ascend, in every list, and adds their terms to `counts`. Gives how many postings they
// have. kCorrupt: a list does not decode, or the documents do not have as many tokens there as their lengths say.
Result<std::uint64_t> count_in_all_lists(const partition::PublishedPartition& partition, std::span<const DocId> docids,
                                         TermCounts& counts);

// One thread.
class RemovedTerms {
 public:
  // `scratch`: a folder for terms beyond `held` bytes (TermCounts); empty: all of them are in memory.
  // `schema`: the collection's; null: it has none.
  explicit RemovedTerms(const text::AnalyzerConfig& analyzer, const std::filesystem::path& scratch = {},
                        std::size_t held = kHeldTermBytes, std::shared_ptr<const schema::Schema> schema = nullptr)
      : tokens_(schema != nullptr ? std::move(schema) : std::make_shared<const schema::Schema>(), analyzer),
        held_(held),
        terms_(scratch.empty() ? TermCounts() : TermCounts(scratch, held)) {}

  struct Counts {
    std::uint64_t tokens = 0, postings = 0;
    partition::FieldTokens field_tokens = {};
    Counts& operator+=(const Counts& other) {
      tokens += other.tokens;
      postings += other.postings;
      partition::add_field_tokens(field_tokens, other.field_tokens);
      return *this;
    }
  };
  // Adds the terms of documents, ascending, of a partition. Memory: TermCounts'. Time and reads are in proportion to
  // `docids` where fields are stored; where they are not, or without digests, or where `docids` is more than a
  // sixteenth of a partition, it is that of reading all lists. kCorrupt: a list or a document does not
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
  std::size_t held() const { return held_; }
  const std::shared_ptr<const schema::Schema>& schema() const { return tokens_.schema(); }
  TermCounts take_documents() { return std::move(terms_); }

 private:
  // Counts the document's terms if its text has this length, as many tokens in fields, and this digest. False: it has
  // not.
  bool count(const partition::StoredDocument& document, std::uint64_t length,
             const std::vector<std::uint32_t>& field_lengths, std::optional<std::uint64_t> digest, Counts& counts);
  parse::DocumentTokens tokens_;
  const std::size_t held_;
  TermCounts terms_;
};

// That of a collection; null: it has none. kInvalid: the manifest's is wrong.
Result<std::shared_ptr<const schema::Schema>> schema_of(const repository::Manifest& manifest);

// The terms of all documents that a change hides, on several threads.
struct HiddenTerms {
  std::unique_ptr<partition::ChangeCursor> documents;  // by(): how many of all of them have a term
  std::map<std::size_t, RemovedTerms::Counts> counts;  // by number of partition
};

// `hidden`: as Change::hidden. Partitions are opened in folders of `scratch`, which are removed afterwards, and terms
// beyond kHeldTermBytes are kept there. Memory: as RemovedTerms, once. Errors: as RemovedTerms::add(), and of opening.
Result<HiddenTerms> hidden_terms(const CurrentGeneration& current,
                                 const std::map<std::size_t, std::vector<DocId>>& hidden,
                                 const std::filesystem::path& scratch);

}  // namespace frond::indexer::change
