#include "indexer/change/list_lookup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "indexer/change/stored_list.h"

namespace frond::indexer::change {
namespace {

using partition::PublishedPartition;

// Finds documents in a list. They ascend.
class ListReader {
 public:
  explicit ListReader(StoredList stored) : stored_(std::move(stored)) {}
  // 0: the list does not have the document.
  Result<Frequency> frequency_of(DocId docid) {
    const std::uint32_t block = list().find_block(docid, block_ == kNone ? 0 : block_);
    if (block == list().blocks()) return Frequency{0};
    if (block != block_) {
      FROND_TRY(list().decode_docids(block, docids_));
      FROND_TRY(list().decode_frequencies(block, frequencies_));
      block_ = block;
    }
    const auto end = docids_.begin() + list().block_size(block);
    const auto at = std::lower_bound(docids_.begin(), end, docid);
    if (at == end || *at != docid) return Frequency{0};
    return frequencies_[static_cast<std::size_t>(at - docids_.begin())];
  }
  std::uint32_t blocks() const { return list().blocks(); }
  // Calls visit(docid, frequency) for postings of documents from `first` to `last` for which wanted(docid) holds.
  template <class Wanted, class Visit>
  Result<void> for_each(DocId first, DocId last, const Wanted& wanted, const Visit& visit) {
    for (std::uint32_t block = list().find_block(first, 0); block < list().blocks(); ++block) {
      FROND_TRY(list().decode_docids(block, docids_));
      bool decoded = false;
      for (std::uint32_t i = 0; i < list().block_size(block); ++i) {
        if (docids_[i] < first || docids_[i] > last || !wanted(docids_[i])) continue;
        if (!decoded) FROND_TRY(list().decode_frequencies(block, frequencies_));
        decoded = true;
        visit(docids_[i], frequencies_[i]);
      }
      if (list().last_docid(block) >= last) break;
    }
    return {};
  }
  Result<void> intact() const { return stored_.intact(); }

 private:
  const postings::PostingList& list() const { return stored_.postings(); }

  static constexpr std::uint32_t kNone = 0xffffffff;
  StoredList stored_;
  std::uint32_t block_ = kNone;
  std::array<std::uint32_t, codec::kBlockLength> docids_{}, frequencies_{};
};

}  // namespace

Result<std::uint64_t> count_in_all_lists(const PublishedPartition& partition, std::span<const DocId> docids,
                                         TermCounts& counts) {
  if (docids.empty()) return std::uint64_t{0};
  const DocId first = docids.front(), last = docids.back();
  std::vector<bool> wanted(last - first + 1);
  std::uint64_t expected = 0, found = 0, postings = 0;
  for (const DocId docid : docids) {
    wanted[docid - first] = true;
    expected += FROND_TRY(partition.length(docid));
  }
  const auto read = [&](const partition::TermCursor& at) -> Result<void> {
    ListReader list(FROND_TRY(StoredList::open(partition, at.term(), at.inline_list())));
    std::uint64_t documents = 0;
    const auto count = [&](DocId, Frequency frequency) {
      documents += frequency > 0;
      found += frequency;
    };
    // Few documents are looked up in a long list; else all postings are looked at.
    if (docids.size() < list.blocks())
      for (const DocId docid : docids) count(docid, FROND_TRY(list.frequency_of(docid)));
    else
      FROND_TRY(list.for_each(
          first, last, [&](DocId docid) { return wanted[docid - first]; }, count));
    FROND_TRY(list.intact());
    if (documents == 0) return {};
    counts.add_documents(at.term(), documents);
    postings += documents;
    return {};
  };
  const auto terms = partition.terms();
  while (FROND_TRY(terms->next())) FROND_TRY(read(*terms));
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
    auto stored = StoredList::open(partition_, uses_[begin].term);
    if (!stored && stored.error().code() != Code::kNotFound) return stored.error();
    std::optional<ListReader> list;
    if (stored) list.emplace(*std::move(stored));
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
