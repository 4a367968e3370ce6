#include "indexer/change/removed_terms.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/postings/posting_list.h"
#include "common/text/analyzer.h"

namespace frond::indexer::change {
namespace {

using partition::PublishedPartition;

constexpr std::size_t kDocumentsAtOnce = 4096;  // whose terms are held
constexpr std::size_t kFewDocuments = 1024;     // always analysed
constexpr std::size_t kShareToReadLists = 16;   // of a partition's documents, from which all lists are read

// A term's posting of a removed document, as its fields say.
struct Use {
  std::string term;
  DocId docid = 0;
  Frequency frequency = 0;
};

// Finds documents in a list. They ascend.
class ListReader {
 public:
  static Result<ListReader> open(const PublishedPartition& partition, std::string_view term) {
    ListReader reader;
    reader.stored_ = FROND_TRY(partition.list(term));
    std::vector<ByteView> segments;
    for (const auto& segment : reader.stored_.segments) segments.push_back(segment.bytes());
    auto list = postings::PostingList::open(segments);
    if (!list) return std::move(list).error().within("list of " + partition::printable(term));
    reader.list_ = *std::move(list);
    return reader;
  }
  // 0: the list does not have the document.
  Result<Frequency> frequency_of(DocId docid) {
    const std::uint32_t block = list_.find_block(docid, block_ == kNone ? 0 : block_);
    if (block == list_.blocks()) return Frequency{0};
    if (block != block_) {
      FROND_TRY(list_.decode_docids(block, docids_));
      FROND_TRY(list_.decode_frequencies(block, frequencies_));
      block_ = block;
    }
    const auto end = docids_.begin() + list_.block_size(block);
    const auto at = std::lower_bound(docids_.begin(), end, docid);
    if (at == end || *at != docid) return Frequency{0};
    return frequencies_[static_cast<std::size_t>(at - docids_.begin())];
  }
  // Whether a mapped list could be read; asked after it was.
  Result<void> intact() const {
    for (const auto& segment : stored_.segments) FROND_TRY(segment.intact());
    return {};
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  partition::TermList stored_;
  postings::PostingList list_;
  std::uint32_t block_ = kNone;
  std::array<std::uint32_t, codec::kBlockLength> docids_{}, frequencies_{};
};

class Counting {
 public:
  Counting(const PublishedPartition& partition, const text::AnalyzerConfig& analyzer, std::size_t held)
      : partition_(partition), analyzer_(analyzer), max_held_bytes_(held) {}

  Result<RemovedTerms> run(std::span<const DocId> docids) {
    for (const DocId docid : docids) removed_.tokens += FROND_TRY(partition_.length(docid));
    if (reads_all_lists(docids.size(), partition_.documents())) {
      FROND_TRY(read_all_lists(docids));
      return whole();
    }
    for (std::size_t begin = 0; begin < docids.size();) {
      while (begin < docids.size() && held_.size() < kDocumentsAtOnce && held_bytes_ < max_held_bytes_)
        FROND_TRY(analyse(docids[begin++]));
      FROND_TRY(compare_held());
    }
    if (!unknown_.empty()) {
      std::sort(unknown_.begin(), unknown_.end());
      FROND_TRY(read_all_lists(unknown_));
    }
    return whole();
  }

 private:
  Result<RemovedTerms> whole() {
    FROND_TRY(partition_.check_files());
    return std::move(removed_);
  }

  Result<void> analyse(DocId docid) {
    const partition::OwnedDocument document = FROND_TRY(partition_.document(docid));
    std::unordered_map<std::string, Frequency> terms;
    std::uint64_t length = 0;
    const auto count = [&](std::string_view term, text::TokenSpan) {
      ++terms[std::string(term)];
      ++length;
    };
    analyzer_.analyze(document.title, count);
    analyzer_.analyze(document.body, count);
    if (length != FROND_TRY(partition_.length(docid))) {
      unknown_.push_back(docid);
      return {};
    }
    held_.push_back(docid);
    for (auto& [term, frequency] : terms) {
      held_bytes_ += sizeof(Use) + term.size();
      uses_.push_back({term, docid, frequency});
    }
    return {};
  }

  Result<void> compare_held() {
    std::sort(uses_.begin(), uses_.end(),
              [](const Use& a, const Use& b) { return std::tie(a.term, a.docid) < std::tie(b.term, b.docid); });
    std::vector<DocId> wrong;
    for (std::size_t begin = 0, end = 0; begin < uses_.size(); begin = end) {
      while (end < uses_.size() && uses_[end].term == uses_[begin].term) ++end;
      auto list = ListReader::open(partition_, uses_[begin].term);
      if (!list && list.error().code() != Code::kNotFound) return list.error();
      for (std::size_t i = begin; i < end; ++i)
        if (!list || FROND_TRY(list->frequency_of(uses_[i].docid)) != uses_[i].frequency)
          wrong.push_back(uses_[i].docid);
      if (list) FROND_TRY(list->intact());
    }
    std::sort(wrong.begin(), wrong.end());
    wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
    for (const Use& use : uses_) {
      if (std::binary_search(wrong.begin(), wrong.end(), use.docid)) continue;
      ++removed_.documents[use.term];
      ++removed_.postings;
    }
    unknown_.insert(unknown_.end(), wrong.begin(), wrong.end());
    uses_.clear();
    held_.clear();
    held_bytes_ = 0;
    return {};
  }

  Result<void> read_all_lists(std::span<const DocId> docids) {
    std::uint64_t expected = 0, found = 0;
    for (const DocId docid : docids) expected += FROND_TRY(partition_.length(docid));
    const auto read = [&](std::string_view term) -> Result<void> {
      ListReader list = FROND_TRY(ListReader::open(partition_, term));
      std::uint64_t documents = 0;
      for (const DocId docid : docids) {
        const Frequency frequency = FROND_TRY(list.frequency_of(docid));
        documents += frequency > 0;
        found += frequency;
      }
      FROND_TRY(list.intact());
      if (documents == 0) return {};
      removed_.documents[std::string(term)] += documents;
      removed_.postings += documents;
      return {};
    };
    const auto terms = partition_.terms();
    while (FROND_TRY(terms->next())) FROND_TRY(read(terms->term()));
    if (found == expected) return {};
    return Error(Code::kCorrupt, partition_.folder().string() + ": the lists have " + std::to_string(found) +
                                     " tokens of " + std::to_string(docids.size()) + " documents with " +
                                     std::to_string(expected));
  }

  const PublishedPartition& partition_;
  text::Analyzer analyzer_;
  const std::size_t max_held_bytes_;
  RemovedTerms removed_;
  std::vector<DocId> held_;  // analysed, not compared yet
  std::vector<Use> uses_;    // of these
  std::size_t held_bytes_ = 0;
  std::vector<DocId> unknown_;  // whose terms only the lists know
};

}  // namespace

bool reads_all_lists(std::size_t docids, std::size_t documents) {
  return docids > kFewDocuments && docids * kShareToReadLists > documents;
}

Result<RemovedTerms> removed_terms(const PublishedPartition& partition, std::span<const DocId> docids,
                                   const text::AnalyzerConfig& analyzer, std::size_t held) {
  return Counting(partition, analyzer, held).run(docids);
}

}  // namespace frond::indexer::change
