#include "indexer/change/list_lookup.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "common/postings/posting_list.h"

namespace frond::indexer::change {
namespace {

using partition::PublishedPartition;

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

}  // namespace

Result<std::uint64_t> count_in_all_lists(const PublishedPartition& partition, std::span<const DocId> docids,
                                         TermCounts& counts) {
  std::uint64_t expected = 0, found = 0, postings = 0;
  for (const DocId docid : docids) expected += FROND_TRY(partition.length(docid));
  const auto read = [&](std::string_view term) -> Result<void> {
    ListReader list = FROND_TRY(ListReader::open(partition, term));
    std::uint64_t documents = 0;
    for (const DocId docid : docids) {
      const Frequency frequency = FROND_TRY(list.frequency_of(docid));
      documents += frequency > 0;
      found += frequency;
    }
    FROND_TRY(list.intact());
    if (documents == 0) return {};
    counts.add_documents(term, documents);
    postings += documents;
    return {};
  };
  const auto terms = partition.terms();
  while (FROND_TRY(terms->next())) FROND_TRY(read(terms->term()));
  if (found == expected) return postings;
  return Error(Code::kCorrupt, partition.folder().string() + ": the lists have " + std::to_string(found) +
                                   " tokens of " + std::to_string(docids.size()) + " documents with " +
                                   std::to_string(expected));
}

void ListComparison::add(std::string_view term, DocId docid, Frequency frequency) {
  bytes_ += sizeof(Use) + term.size();
  uses_.push_back({std::string(term), docid, frequency});
}

Result<std::uint64_t> ListComparison::count(TermCounts& counts, std::vector<DocId>& differing) {
  std::sort(uses_.begin(), uses_.end(),
            [](const Use& a, const Use& b) { return std::tie(a.term, a.docid) < std::tie(b.term, b.docid); });
  std::vector<DocId> wrong;
  for (std::size_t begin = 0, end = 0; begin < uses_.size(); begin = end) {
    while (end < uses_.size() && uses_[end].term == uses_[begin].term) ++end;
    auto list = ListReader::open(partition_, uses_[begin].term);
    if (!list && list.error().code() != Code::kNotFound) return list.error();
    for (std::size_t i = begin; i < end; ++i)
      if (!list || FROND_TRY(list->frequency_of(uses_[i].docid)) != uses_[i].frequency) wrong.push_back(uses_[i].docid);
    if (list) FROND_TRY(list->intact());
  }
  std::sort(wrong.begin(), wrong.end());
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  std::uint64_t postings = 0;
  for (const Use& use : uses_) {
    if (std::binary_search(wrong.begin(), wrong.end(), use.docid)) continue;
    counts.add_documents(use.term, 1);
    ++postings;
  }
  differing.insert(differing.end(), wrong.begin(), wrong.end());
  uses_.clear();
  bytes_ = 0;
  return postings;
}

}  // namespace frond::indexer::change
