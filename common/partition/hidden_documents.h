#pragma once
// The documents of a partition that a generation does not have any more: removed, or replaced by a later document with
// the same id. The partition stays as it is; whoever searches it passes over them. Immutable once it is shared.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/check.h"
#include "common/base/ids.h"

namespace frond::partition {

class HiddenDocuments {
 public:
  static constexpr std::uint32_t kWordBits = 64;

  // `documents`: of the partition. `docids`: ascending, without repetition, below `documents`. Takes a bit for each
  // document of the partition and four bytes for each hidden one.
  HiddenDocuments(std::uint32_t documents, std::vector<DocId> docids) : docids_(std::move(docids)) {
    FROND_CHECK(docids_.empty() || docids_.back() < documents);
    auto words = std::make_shared<std::vector<std::uint64_t>>(documents / kWordBits + 1);
    for (const DocId docid : docids_) (*words)[docid / kWordBits] |= std::uint64_t{1} << docid % kWordBits;
    words_ = std::move(words);
    first_word_ = words_->data();
  }

  bool contains(DocId docid) const { return (first_word_[docid / kWordBits] >> docid % kWordBits & 1) != 0; }
  std::span<const DocId> docids() const { return docids_; }  // ascending
  std::size_t count() const { return docids_.size(); }
  // Bits of documents 64 * word to 64 * word + 63; 0 past the last document.
  std::uint64_t word(std::size_t word) const { return word < words_->size() ? first_word_[word] : 0; }
  // All of these words. Their address names the documents: copies of this object share them.
  const std::shared_ptr<const std::vector<std::uint64_t>>& words() const { return words_; }

 private:
  std::vector<DocId> docids_;
  std::shared_ptr<const std::vector<std::uint64_t>> words_;
  const std::uint64_t* first_word_;
};

}  // namespace frond::partition
