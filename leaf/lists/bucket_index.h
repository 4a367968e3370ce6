#pragma once
// Tells which posting of a list a document has, without decoding a block of the list: documents are in buckets by their
// high bits, and each bucket has the low bits of its documents side by side (Sanders and Transier 2007, "Intersection
// in Integer Inverted Indices"). Buckets of a dense list are bit vectors (Culpepper and Moffat 2010, "Efficient Set
// Intersection for Inverted Indexing").
//
// A list in memory has it beside its bytes if its documents are dense enough: where a candidate has a block to itself,
// to decode the block takes some fifty times as long as to look here.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/ids.h"
#include "common/postings/posting_list.h"

namespace frond::leaf::lists {

// Immutable; any thread.
class BucketIndex {
 public:
  // Bytes of memory that the list's index takes; 0: the list has none, because it is short or sparse.
  static std::size_t bytes_for(const postings::PostingList& list);
  // Decodes the whole list. Null: it has none, or does not decode.
  static std::unique_ptr<const BucketIndex> build(const postings::PostingList& list);

  // Documents are looked for up to this one.
  DocId last() const { return last_; }
  // A bucket has 1 << kShift documents, with bits 1 << kDenseShift. Bucket i begins with posting begins()[i]; the end
  // of the last one is there, too.
  static constexpr unsigned kShift = 8, kDenseShift = 6;
  // How many postings the buckets of documents first .. last have, which are at most last().
  std::uint32_t postings_in(DocId first, DocId last) const {
    const unsigned shift = bits_.empty() ? kShift : kDenseShift;
    return begins_[(last >> shift) + 1] - begins_[first >> shift];
  }
  const std::uint32_t* begins() const { return begins_.data(); }
  // One or the other, else null. By posting the low bits of its document, and codec::kReadSlack more bytes; or by
  // bucket the bits of its documents.
  const std::uint8_t* lows() const { return lows_.empty() ? nullptr : lows_.data(); }
  const std::uint64_t* bits() const { return bits_.empty() ? nullptr : bits_.data(); }

 private:
  explicit BucketIndex(const postings::PostingList& list);

  const DocId last_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint8_t> lows_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace frond::leaf::lists
