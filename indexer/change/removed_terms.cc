#include "indexer/change/removed_terms.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "indexer/change/list_lookup.h"

namespace frond::indexer::change {
namespace {

using partition::PublishedPartition;
using partition::StoredDocument;

constexpr std::size_t kDocumentsAtOnce = 4096;  // whose terms are held
constexpr std::size_t kFewDocuments = 1024;     // always analysed
constexpr std::size_t kShareToReadLists = 16;   // of a partition's documents, from which all lists are read

}  // namespace

// The documents of one partition.
class RemovedTerms::Partition {
 public:
  Partition(RemovedTerms& all, const PublishedPartition& partition)
      : all_(all), partition_(partition), comparison_(partition) {}

  Result<Counts> add(std::span<const DocId> docids) {
    for (const DocId docid : docids) counts_.tokens += FROND_TRY(partition_.length(docid));
    if (reads_all_lists(docids.size(), partition_.documents())) {
      counts_.postings += FROND_TRY(count_in_all_lists(partition_, docids, all_.terms_));
    } else {
      const bool digests = FROND_TRY(has_digests(docids));
      FROND_TRY(read(docids, [&](DocId docid, const StoredDocument& document) {
        return digests ? count(docid, document) : hold(docid, document);
      }));
      FROND_TRY(compare_held());
      std::sort(unknown_.begin(), unknown_.end());
      if (!unknown_.empty()) counts_.postings += FROND_TRY(count_in_all_lists(partition_, unknown_, all_.terms_));
    }
    FROND_TRY(partition_.check_files());
    FROND_TRY(Result<void>(all_.terms_.outcome()));
    return counts_;
  }

 private:
  Result<bool> has_digests(std::span<const DocId> docids) const {
    if (docids.empty() || all_.verification_ == Verification::kLists) return false;
    return FROND_TRY(partition_.term_digest(docids[0])).has_value();
  }

  template <class Visit>
  Result<void> read(std::span<const DocId> docids, const Visit& visit) {
    Result<void> outcome;
    partition_.read_documents(docids, [&](std::size_t place, const Result<StoredDocument>& document) {
      outcome = document ? visit(docids[place], *document) : Result<void>(document.error());
      return outcome.has_value();
    });
    return outcome;
  }

  Result<void> count(DocId docid, const StoredDocument& document) {
    const auto digest = FROND_TRY(partition_.term_digest(docid));
    const auto terms = all_.count(document, FROND_TRY(partition_.length(docid)), digest);
    if (terms)
      counts_.postings += *terms;
    else
      unknown_.push_back(docid);
    return {};
  }

  // For compare_held().
  Result<void> hold(DocId docid, const StoredDocument& document) {
    std::unordered_map<std::string, Frequency> terms;
    std::uint64_t length = 0;
    const auto add = [&](std::string_view term, text::TokenSpan) {
      ++terms[std::string(term)];
      ++length;
    };
    all_.analyzer_.analyze(document.title, add);
    all_.analyzer_.analyze(document.body, add);
    if (length != FROND_TRY(partition_.length(docid))) {
      unknown_.push_back(docid);
      return {};
    }
    for (const auto& [term, frequency] : terms) comparison_.add(term, docid, frequency);
    if (++held_ < kDocumentsAtOnce && comparison_.bytes() < all_.max_held_bytes_) return {};
    return compare_held();
  }

  Result<void> compare_held() {
    if (held_ == 0) return {};
    held_ = 0;
    counts_.postings += FROND_TRY(comparison_.count(all_.terms_, unknown_));
    return {};
  }

  RemovedTerms& all_;
  const PublishedPartition& partition_;
  Counts counts_;
  ListComparison comparison_;
  std::size_t held_ = 0;        // documents in comparison_
  std::vector<DocId> unknown_;  // whose terms only the lists know
};

bool reads_all_lists(std::size_t docids, std::size_t documents) {
  return docids > kFewDocuments && docids * kShareToReadLists > documents;
}

std::optional<std::uint64_t> RemovedTerms::count(const StoredDocument& document, std::uint64_t length,
                                                 std::optional<std::uint64_t> digest) {
  const auto add = [this](std::string_view term, text::TokenSpan) { terms_.add_token(term); };
  analyzer_.analyze(document.title, add);
  analyzer_.analyze(document.body, add);
  if (terms_.tokens() == length && terms_.digest() == digest) return terms_.keep_document();
  terms_.drop_document();
  return std::nullopt;
}

Result<RemovedTerms::Counts> RemovedTerms::add_told(partition::RangedPartition& partition,
                                                    std::span<const DocId> docids, std::vector<DocId>& unknown) {
  Counts counts;
  const auto take = [&](DocId docid, const partition::RangedPartition::Document& document) -> Result<void> {
    const auto terms = count(document.fields, document.length, document.term_digest);
    if (terms) {
      counts.tokens += document.length;
      counts.postings += *terms;
    } else {
      unknown.push_back(docid);
    }
    return {};
  };
  const bool digests = FROND_TRY(partition.read(docids, take));
  if (!digests) unknown.insert(unknown.end(), docids.begin(), docids.end());
  FROND_TRY(Result<void>(terms_.outcome()));
  return counts;
}

Result<RemovedTerms::Counts> RemovedTerms::add(const PublishedPartition& partition, std::span<const DocId> docids) {
  return Partition(*this, partition).add(docids);
}

}  // namespace frond::indexer::change
