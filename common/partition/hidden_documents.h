#pragma once
// The documents of a partition that a generation does not have any more: removed, or replaced by a later document with
// the same id. The partition stays as it is; whoever searches it passes over them. Immutable once it is shared.
#include <algorithm>
#include <cstdint>
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
  HiddenDocuments(std::uint32_t documents, std::vector<DocId> docids)
      : docids_(std::move(docids)), words_(documents / kWordBits + 1) {
    FROND_CHECK(docids_.empty() || docids_.back() < documents);
    for (const DocId docid : docids_) words_[docid / kWordBits] |= std::uint64_t{1} << docid % kWordBits;
  }

  bool contains(DocId docid) const { return (words_[docid / kWordBits] >> docid % kWordBits & 1) != 0; }
  std::span<const DocId> docids() const { return docids_; }  // ascending
  std::size_t count() const { return docids_.size(); }
  // Bits of documents 64 * word to 64 * word + 63; 0 past the last document.
  std::uint64_t word(std::size_t word) const { return word < words_.size() ? words_[word] : 0; }

 private:
  std::vector<DocId> docids_;
  std::vector<std::uint64_t> words_;
};

}  // namespace frond::partition
